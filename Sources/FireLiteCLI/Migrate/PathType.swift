import FireLite

/// The resource type that the path of a file tells: `Patient.json`, `patients.ndjson`, `Patient-123.json`, `Patient/123.json`.
enum PathType {
    /// - Returns: nil if neither the file's name nor that of its folder begins with a type.
    static func typeName(of path: String, _ release: FHIRRelease) -> String? {
        let types = Dictionary(uniqueKeysWithValues: release.resourceTypeNames.map { ($0.lowercased(), $0) })
        for name in path.split(separator: "/").suffix(2).reversed() {
            let word = name.prefix { $0.isASCII && $0.isLetter }.lowercased()
            if let type = types[word] ?? (word.hasSuffix("s") ? types[String(word.dropLast())] : nil) { return type }
        }
        return nil
    }
}
