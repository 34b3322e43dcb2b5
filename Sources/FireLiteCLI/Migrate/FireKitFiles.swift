import FireLite

/// The files of an export of FireKit, whose names may tell the types of the resources.
struct FireKitFiles: ResourceMender {
    let mender: FireKitMender
    /// The type of resources that neither they nor their files' names tell.
    let typeName: String?

    func reader(of file: String) -> any ResourceMending {
        MendingReader(mender, typeName: PathType.typeName(of: file, mender.release) ?? typeName)
    }
}
