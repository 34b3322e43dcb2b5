import FireLiteCore

/// The operation `$batch-validate-code`: several validations in one request, with parameters that they share.
struct BatchOperation {
    let library: TerminologyLibrary
    let parameters: RequestParameters
    let language: String?

    /// - Throws: ``TerminologyError`` for a request without validations; what is wrong with one of them is its answer.
    func run() throws -> JSONItem {
        let validations = parameters.all("validation")
        guard !validations.isEmpty else {
            throw TerminologyError(.invalid, "invalid", "the request has no validation: add parameters of that name with Parameters")
        }
        let shared = RequestParameters(parameters.items.filter { $0["name"]?.text != "validation" })
        let effort = Effort()
        return .object([
            "resourceType": .string("Parameters"),
            "parameter": .array(
                try validations.map { item in
                    .object(["name": .string("validation"), "resource": try answer(item["resource"], shared, effort)])
                }),
        ])
    }

    private func answer(_ json: JSONItem?, _ shared: RequestParameters, _ effort: Effort) throws -> JSONItem {
        do {
            try effort.checkTime()
            guard let json else {
                throw TerminologyError(.invalid, "invalid", "a validation has no Parameters")
            }
            let own = try RequestParameters(json).merged(over: shared)
            let operation = ValidateOperation(library: library, parameters: own, language: language)
            let isAboutValueSet = own.text("url") != nil || own.resource("valueSet") != nil
            return try isAboutValueSet ? operation.inValueSet() : operation.inCodeSystem()
        } catch let error as TerminologyError {
            return TerminologyIssue.outcome(error.issues)
        }
    }
}
