import FireLite
import FireLiteCore
import FireLiteFHIRPath
import FireLiteSearch

/// Why a page cannot be shown: what happened, and what to do. It has no value of a record.
struct PageProblem: Error {
    let status: Int
    let title: String
    let remedy: String

    init(_ status: Int, _ title: String, _ remedy: String) {
        self.status = status
        self.title = title
        self.remedy = remedy
    }

    /// The problem that an error of a lower module is.
    init(_ error: any Error) {
        switch error {
        case let error as PageProblem: self = error
        case let error as SearchError: self.init(400, "The search cannot be done", error.description)
        case let error as FHIRPathError: self.init(400, "The expression cannot be evaluated", error.description)
        case let error as ViewError: self.init(400, "The view cannot be made", error.description)
        case let error as FHIRDecodingError: self.init(400, "The text is not a resource", error.description)
        case let error as FHIRStoreError:
            self.init(error.code == .invalidArgument ? 400 : error.code == .conflict ? 409 : 503, Self.title(error), Self.remedy(error))
        case let error as any FireLiteError: self.init(500, "The page cannot be made", error.message)
        default: self.init(500, "The page cannot be made", "An error of the system: \(type(of: error)).")
        }
    }

    private static func title(_ error: FHIRStoreError) -> String {
        switch error.code {
        case .invalidArgument: "The statement is refused"
        case .busy: "The file is busy"
        case .conflict: "Others have changed the resource"
        case .missingKey: "The file is encrypted"
        case .wrongKey: "This is not the key of the file"
        case .notEncrypted: "The file is not encrypted"
        case .noEncryption: "This program cannot read encrypted files"
        case .notAStore: "The file is damaged, or no store"
        case .olderFormat: "The file has an older format"
        case .newerFormat: "The file has a newer format"
        case .cannotOpen: "The file cannot be opened"
        case .interrupted: "The statement took too long"
        case .sqlite: "SQLite reports an error"
        default: "The store cannot be read"
        }
    }

    private static func remedy(_ error: FHIRStoreError) -> String {
        // A look at a file never upgrades it.
        guard error.code == .olderFormat else { return error.description }
        let words = "pages never do that: copy the file, run `firelite info` on the copy, which upgrades it, and browse the copy"
        return error.description({ _ in words })
    }

    static let nowhere = PageProblem(404, "There is no such page", "The address leads nowhere. The overview lists what the store holds.")
    static let closed = PageProblem(
        401, "These pages are closed",
        "Open the link that firelite-server prints when it starts; it works once. `firelite browse` opens it for you.")

    static func missing(_ type: String, _ id: String) -> PageProblem {
        PageProblem(404, "\(type)/\(Numbers.clipped(id, 64)) is not in the store", "It was never stored here, or has been deleted.")
    }
}
