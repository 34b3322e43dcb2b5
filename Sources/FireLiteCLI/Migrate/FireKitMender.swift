import FireLite

/// Turns the JSON that apps on FireKit export into FHIR's JSON. It changes only what has one meaning; the strict reader has the last word.
struct FireKitMender: Sendable {
    let release: FHIRRelease
    /// Corrects dates in other notations; its offset is also the zone of dates as numbers.
    var dates = DateMender(offset: nil)
    var dateNumbers = DateNumbers.secondsSince2001

    /// A mended value.
    struct Result {
        let node: JSONNode
        let mends: [Mend]
    }

    /// Mends a resource.
    ///
    /// - Parameter typeName: the type of a resource that does not name it.
    func resource(_ node: JSONNode, typeName: String?) -> Result {
        var walk = MendingWalk(mender: self)
        let mended = walk.resource(node, typeName: typeName, takesKey: true)
        return Result(node: mended ?? JSONNode(content: .object([]), range: node.range), mends: walk.mends)
    }

    /// Mends an object of a class, such as a Bundle's entry.
    func object(_ node: JSONNode, _ layout: Layout) -> Result {
        var walk = MendingWalk(mender: self)
        let mended = walk.object(node, layout)
        return Result(node: mended ?? JSONNode(content: .object([]), range: node.range), mends: walk.mends)
    }
}

/// The files of an export of FireKit, whose names may tell the types of the resources.
struct FireKitFiles: ResourceMender {
    let mender: FireKitMender
    /// The type of resources that neither they nor their files' names tell.
    let typeName: String?

    func reader(of file: String) -> any ResourceMending {
        MendingReader(mender, typeName: PathType.typeName(of: file, mender.release) ?? typeName)
    }
}

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
