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
