import FireLite
import Foundation

extension ConditionBuilder {
    /// `_text` and `_content`: words in the narrative, or anywhere in the resource. The type's full-text index answers both; without one, texts are
    /// read.
    func words(_ code: String, _ value: String, on layout: Layout) throws -> Predicate {
        let words = SearchText.plain(value)
        let terms = FullTextTerm.terms(words)
        // Punctuation alone is no word, and would be found everywhere, or nowhere.
        guard !terms.isEmpty, words.unicodeScalars.contains(where: Self.isOfWords) else {
            throw SearchError(.invalid, "the value is missing", in: code)
        }
        if try transaction.hasFullTextIndex(of: layout) { return .matching(terms) }
        // As in the values, characters that are not printed separate words.
        let texts = words.split { $0 == "\"" || $0.isWhitespace || $0.unicodeScalars.allSatisfy { $0.value < 32 } }.map {
            $0.hasSuffix("*") ? String($0.dropLast()) : String($0)
        }
        .filter { $0.unicodeScalars.contains(where: Self.isOfWords) }
        if code == "_text" {
            guard let narrative = SearchPath(layout).child("text"), let div = narrative.child("div") else { return .constant(false) }
            return .and(texts.map { div.value(.text(.contains, of: $0, .all)) })
        }
        var keys: [Int64] = []
        guard transaction.hasTable(of: layout) else { return .constant(false) }
        var content = ContentWords(texts)
        try transaction.forEach(typeName: layout.name) { resource in
            if FHIRJSON.withUTF8(of: resource, { content.areIn($0) }), let key = transaction.key(of: resource) { keys.append(key) }
        }
        return .keys(keys)
    }

    /// Whether a character is one that words are made of, as SQLite's full-text index has it: a letter, a number, or one of private use.
    private static func isOfWords(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber, .letterNumber,
            .otherNumber,
            .privateUse:
            true
        default: false
        }
    }

    // MARK: - Special parameters

    /// `Location?near=latitude|longitude|distance|unit`.
    func special(_ definition: SearchDefinition, _ values: [String], on layout: Layout, _ name: String) throws -> Predicate {
        guard definition.code == "near" || definition.code.hasSuffix("-near") else {
            throw SearchError(.notSupported, "this library has no \(definition.code)", in: name)
        }
        let compiled = try catalog.compiled(definition, on: layout)
        return .or(
            try values.map { value in
                guard let area = SearchArea(value) else {
                    throw SearchError(.invalid, "write latitude|longitude|distance|km: 50 km if there is no distance", in: name)
                }
                return .or(try compiled.paths.map { try near(area, $0, on: layout) })
            })
    }

    /// STU3's and DSTU2's `near`, which a parameter of its own gives a distance; nil for other parameters.
    func nearWithDistance(_ definition: SearchDefinition, _ values: [String], on layout: Layout, _ name: String) throws -> Predicate? {
        guard definition.kind != .special else { return nil }
        switch definition.code {
        case "near-distance":
            guard hasNear else { throw SearchError(.invalid, "it limits near, which the search lacks", in: name) }
            return .constant(true)
        case "near":
            let compiled = try catalog.compiled(definition, on: layout)
            let isOnePair = release.facts.coordinateSeparator == "," && values.count == 2
            let pairs = isOnePair ? [values.joined(separator: ":")] : values
            return .or(
                try pairs.map { value in
                    guard let area = SearchArea(near: value, distance: nearDistance) else {
                        throw SearchError(.invalid, "write near=latitude:longitude and near-distance=distance||km", in: name)
                    }
                    return .or(try compiled.paths.map { try near(area, $0, on: layout) })
                })
        default: return nil
        }
    }

    private func near(_ area: SearchArea, _ path: SearchPath, on layout: Layout) throws -> Predicate {
        guard case .object(let position) = path.end, let latitude = position.element(named: "latitude"),
            let longitude = position.element(named: "longitude")
        else { return .constant(false) }
        // A box that contains the area, and of the resources in it those whose distance is small enough.
        var request = QueryRequest(layout)
        request.predicate = path.some { start in
            .and(area.box(start.appending(PathStep(slot: latitude.slot)), start.appending(PathStep(slot: longitude.slot))))
        }
        guard transaction.hasTable(of: layout) else { return .constant(false) }
        var keys: [Int64] = []
        let places = try transaction.places(request).map(\.key)
        for (key, resource) in zip(places, try transaction.resources(keys: places)) {
            let positions = path.objects(in: resource)
            let isNear = positions.contains { object in
                guard let first = object._decimal(latitude.slot)?.doubleValue, let second = object._decimal(longitude.slot)?.doubleValue
                else { return false }
                return area.contains(first, second)
            }
            if isNear { keys.append(key) }
        }
        return .keys(keys)
    }
}
