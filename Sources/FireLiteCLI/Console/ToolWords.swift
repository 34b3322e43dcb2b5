import FireLite
import FireLiteCore
import Foundation

/// The errors of the libraries in the words of somebody at a shell, who has commands and options and no declarations.
enum ToolWords {
    /// One line that says what went wrong and what to do about it.
    static func text(of error: any Error) -> String {
        switch error {
        case let error as any AdvisedError: error.description(text)
        case is CocoaError, is POSIXError: systemText(error as NSError)
        // On Apple's systems every error can be cast to an NSError.
        default: type(of: error) is NSError.Type ? systemText(error as NSError) : String(describing: error)
        }
    }

    /// A text with a path as the user gave it: the libraries make it absolute.
    static func text(_ text: String, naming path: String) -> String {
        let absolute = URL(fileURLWithPath: path).path
        return absolute == path ? text : text.replacingBytes(absolute, with: path)
    }

    /// What to do, by the tool's options.
    static func text(of remedy: Remedy) -> String {
        switch remedy {
        case .check: "run `firelite check`"
        case .checkStatement: "check the statement, or the file with `firelite check`"
        case .replaceFile: "name a new file"
        case .makeFullTextIndex(let type): "make one with `firelite index --database FILE create --full-text \(type) PATH…`"
        case .readWithSQL: "give one SELECT, VALUES, WITH or EXPLAIN, or a PRAGMA that describes the tables"
        case .useLessMemory: "free some, or work on less at once"
        case .waitForLock: "try again when the other program has finished"
        case .waitForReads: "end the programs that read it, and try again"
        case .readPayloads: "use a version of firelite that knows them"
        case .openAgain: "run the command again"
        case .openForWriting: "use a file and a folder that you can write to"
        case .upgrade: "run `firelite info` on it where you can write to the file and its folder, or on a copy that you can write to"
        case .openPlain: "leave out --key-file, or make an encrypted copy with `firelite backup --database FILE --new-key-file KEY COPY`"
        case .encryptCopy: "make an encrypted copy with `firelite backup --database FILE --new-key-file KEY COPY`"
        case .resync: "read everything again, and then the changes --since the newest that `firelite changes` prints"
        case .track: "switch the log on with `firelite track --database FILE on changes`"
        case .registerReader: "`firelite track --database FILE list` prints the readers"
        case .removeDuplicates: "delete the duplicates"
        case .acceptDeletion: "run the command again"
        case .permitPlainHTTP: "use https://, or --plain-http"
        case .readLeniently: "report it to the server's operator"
        case .signIn: "give --credentials FILE, which `firelite register` writes"
        case .nameContainedType: "name one in parentheses, as contained(Medication).code"
        case .giveKeyring, .useRecords: "give --keyring FILE"
        case .nameTypes: "name the types with --type, if the server has more than it says"
        case .giveTokenEndpoint: "add the member token_endpoint to the credentials file"
        }
    }

    /// An error of the system that no library has put into words. Foundation's numbers say nothing to anybody.
    private static func systemText(_ error: NSError) -> String {
        let path = (error.userInfo[NSFilePathErrorKey] as? String).map { "\($0): " } ?? ""
        if error.domain == NSPOSIXErrorDomain { return path + String(cString: strerror(Int32(error.code))) }
        if let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError { return path + systemText(cause) }
        return path + "the system could not read or write it: check that it is a file, its permissions and the disk"
    }
}
