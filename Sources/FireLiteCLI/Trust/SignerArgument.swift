import FireLite
import FireLiteTrust
import Foundation

/// The identity that signs, and the file with its key.
struct SignerArgument {
    static let keyOption = OptionDefinition.option(
        "signing-key", "FILE", kind: .output(.secret), isRequired: true,
        "the private key, a .pem; made on first use, for its owner only (0600)")

    let id: String
    private let keys: FileKeyStore
    private let name: String

    init(_ arguments: ParsedArguments, _ option: String) throws {
        id = arguments[option] ?? ""
        let url = URL(fileURLWithPath: arguments.output("--signing-key")?.path ?? "")
        guard url.pathExtension == "pem" else { throw ToolError.usage("--signing-key is the name of a file that ends in .pem") }
        keys = FileKeyStore(folder: url.deletingLastPathComponent())
        name = url.deletingPathExtension().lastPathComponent
    }

    /// The signer. An identity that the database does not know is added with its key, which is made if there is none.
    ///
    /// - Parameter becomesOwner: whether the signer becomes the owner of a database that has none.
    func signer(in tx: WriteTransaction, becomesOwner: Bool = false) throws -> SigningIdentity {
        let known = try tx.identity(id)
        guard let key = try keys.key(named: name) ?? (known == nil ? keys.makeKey(named: name) : nil) else {
            throw ToolError.failed("the database knows \(id), and there is no file with its key: check --signing-key")
        }
        let hasOwner = try tx.identities().contains { $0.authority == .everything }
        let isNewOwner = becomesOwner && !hasOwner
        // The owner may be among those that are lost.
        if isNewOwner { try tx.requireIdentities() }
        if known == nil || isNewOwner {
            var identity = known ?? Identity(id: id, keys: [.init(key.publicKey, from: .present)])
            if isNewOwner { identity.authority = .everything }
            try tx.setIdentity(identity)
        }
        guard try tx.identity(withKey: key.publicKey.id)?.id == id else {
            throw ToolError.failed("the key in --signing-key is not among those of \(id) that the database knows")
        }
        return SigningIdentity(id: id, key: key)
    }

    /// Runs `body`, and makes the errors of signatures and permissions those of the tool.
    static func located<Value>(_ database: DatabaseArgument, _ body: () throws -> Value) throws -> Value {
        try database.located {
            do { return try body() } catch let error as TrustError { throw ToolError.failed(error) }
        }
    }

    /// The moment in an option: a date, or a time with its zone.
    static func moment(_ arguments: ParsedArguments, _ option: String) throws -> Date? {
        try arguments[option].map { try HistoryCommand.date($0, option: option) }
    }
}
