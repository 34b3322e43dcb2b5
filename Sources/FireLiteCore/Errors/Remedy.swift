/// What to do about an error. A program on top of the library may offer other means than the library's declarations: the tool has options
/// and commands.
///
/// An error carries its remedy separately (`AdvisedError`), so that no message names declarations to users of the tool.
package enum Remedy: Sendable, Hashable {
    /// Check the whole file for faults.
    case check
    /// The statement is wrong, or the file is damaged.
    case checkStatement
    /// Use another path, or replace the existing file.
    case replaceFile
    /// Make the full-text index of a type.
    case makeFullTextIndex(type: String)
    /// Use a statement that only reads.
    case readWithSQL
    /// Use less memory.
    case useLessMemory
    /// Wait for the other connection.
    case waitForLock
    /// Wait for long reads.
    case waitForReads
    /// Enable reading of separate payloads.
    case readPayloads
    /// The store was closed: open it again.
    case openAgain
    /// Open the file for writing.
    case openForWriting
    /// Open a file of an older format once for writing.
    case upgrade
    /// Open a plain file without a key, or encrypt a copy.
    case openPlain
    /// Encrypt a copy.
    case encryptCopy
    /// Read everything, then the changes after that.
    case resync
    /// Track changes first.
    case track
    /// Register the reader of the log.
    case registerReader
    /// Delete resources with the same id, or do not require unique ids.
    case removeDuplicates
    /// Accept that a resource was deleted, or add it again.
    case acceptDeletion
    /// Permit plain HTTP to the host.
    case permitPlainHTTP
    /// Read only the valid parts of a server's answer.
    case readLeniently
    /// Name the token endpoint of the server.
    case giveTokenEndpoint
    /// Let the user sign in.
    case signIn
    /// Name the type of contained resources.
    case nameContainedType
    /// Pass the keyring of the sealed content.
    case giveKeyring
    /// Change sealed resources with `records`.
    case useRecords
    /// Name the types that are pulled.
    case nameTypes

    /// For somebody who writes a program.
    package var text: String {
        switch self {
        case .check: "run check()"
        case .checkStatement: "check the statement, or the file with check()"
        case .replaceFile: "give another path, or replace it with replacing: true"
        case .makeFullTextIndex(let type): "create one with createFullTextIndex(\(type).self)"
        case .readWithSQL: "pass one statement that only reads, and write with the classes, in store.write { … }"
        case .useLessMemory: "free some, lower cacheBytes, or write less at once"
        case .waitForLock: "try again, or raise the busy timeout"
        case .waitForReads: "end long reads, or raise the busy timeout, to change its key"
        case .readPayloads: "link FireLiteRecords and call store.attachments.resume() after opening"
        case .openAgain: "open it again with FHIRStore(path:release:)"
        case .openForWriting: "open it with the access readWrite to change it"
        case .upgrade: "open it once with the access readWrite, or open a writable copy of it"
        case .openPlain: "open it without a key, or make an encrypted copy with backup(to:encryption:)"
        case .encryptCopy: "encrypt a copy with backup(to:encryption:)"
        case .resync: "read everything again and continue from newestChange()"
        case .track: "switch the log on first with track(.changes)"
        case .registerReader: "register it with changeReader(named:)"
        case .removeDuplicates: "delete the duplicates, or open it without uniqueIDs"
        case .acceptDeletion: "accept that, or add a copy()"
        case .permitPlainHTTP: "use https://, or name the host in configuration.plainHTTPHosts"
        case .readLeniently: "set configuration.readsLeniently to read what is valid"
        case .giveTokenEndpoint: "give tokenEndpoint"
        case .signIn: "call begin(_:)"
        case .nameContainedType: "name one with of(_:)"
        case .giveKeyring: "set records.encryption after opening the store"
        case .useRecords: "use store.records"
        case .nameTypes: "name the types of the scope"
        }
    }
}
