import FireLiteCore
import FireLiteFHIRPath

/// Rules for SearchParameters beside their constraints (FHIR, SearchParameter).
struct SearchParameterRules {
    private let run: ValidationRun

    init(_ run: ValidationRun) { self.run = run }

    func check(_ parameter: FHIRResource) {
        let type = parameter.text("type")
        if type == "composite", parameter.children("component").isEmpty {
            run.add(.searchParameter, "a composite parameter has components")
        } else if type != nil, type != "composite", !parameter.children("component").isEmpty {
            run.add(.searchParameter, "only a composite parameter has components")
        }
        let bases = parameter.texts("base")
        check(parameter, "expression", bases)
        run.forEach("component", of: parameter) { component, _ in check(component, "expression", []) }
    }

    /// The expression is FHIRPath, and its parts lead to elements of the bases.
    private func check(_ object: FHIRObject, _ name: String, _ bases: [String]) {
        // STU3's definitions abbreviate, and DSTU2 has XPath.
        guard let text = object.text(name), !["DSTU2", "STU3"].contains(run.release.name) else { return }
        run.at(name) {
            do {
                let path = try FHIRPath(text, options: .definitions)
                // With several bases a part is about one of them alone.
                guard bases.count == 1, let base = bases.first, text.hasPrefix(base + "."), let type = run.release.type(named: base) else {
                    return
                }
                try path.check(for: type)
            } catch {
                run.add(.searchParameter, "the expression cannot be used: \(error)")
            }
        }
    }
}
