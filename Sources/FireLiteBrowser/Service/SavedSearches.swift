import FireLiteCore
import Foundation

/// A search that somebody saved under a name.
struct SavedSearch: Sendable, Hashable {
    let name: String
    let type: String
    /// The query of the list's address, with the columns and the order: `gender=female&_sort=birthdate`.
    let query: String

    /// The list; nil if the query cannot be read.
    var address: Address? { Address.items(query).map { Address([type], items: $0) } }
}

/// The searches that people save: in a file beside the store's, never in the store, which is often opened read-only and belongs to an app.
///
/// Cookies and a page's own storage would not do: `firelite browse` listens at any free port, which is another place for a page's storage, and cookies
/// of one store's pages go to those of every other store on the machine. The file has mode 0600, as searches can name people.
///
/// `@unchecked Sendable`: `lock` guards `kept` and the order of reading and writing the file.
final class SavedSearches: @unchecked Sendable {
    /// The limits: of searches, of scalars in a name, of bytes in a query and in the file.
    static let most = (searches: 200, name: 100, query: 8_000, file: 2 << 20)

    private let file: URL?
    private let lock = NSLock()
    /// The searches if there is no file.
    private var kept: [SavedSearch] = []

    init(file: URL?) { self.file = file }

    /// Whether the searches outlive the program.
    var isKept: Bool { file != nil }

    /// All searches, by type and name.
    ///
    /// - Throws: `PageProblem` if the file cannot be read, or is none that this type wrote.
    func all() throws -> [SavedSearch] { try lock.withLock { try read() } }

    /// Saves a search. One of the same type and name is replaced.
    func save(_ search: SavedSearch) throws {
        guard !search.name.isEmpty, search.name.unicodeScalars.count <= Self.most.name else {
            throw PageProblem(400, "The search is not saved", "Give it a name of 1 to \(Self.most.name) characters.")
        }
        guard search.query.utf8.count <= Self.most.query, search.address != nil else {
            throw PageProblem(400, "The search is not saved", "Its address is too long, or cannot be read.")
        }
        try change { searches in
            searches.removeAll { $0.type == search.type && $0.name == search.name }
            guard searches.count < Self.most.searches else {
                throw PageProblem(409, "The search is not saved", "There are \(Self.most.searches) already: remove some first.")
            }
            searches.append(search)
        }
    }

    /// Removes a search.
    func remove(type: String, name: String) throws {
        try change { searches in
            let count = searches.count
            searches.removeAll { $0.type == type && $0.name == name }
            guard searches.count < count else { throw PageProblem(404, "There is no such search", "Somebody may have removed it already.") }
        }
    }

    // MARK: - The file

    private func change(_ body: (inout [SavedSearch]) throws -> Void) throws {
        try lock.withLock {
            // What others have saved meanwhile stays.
            var searches = try read()
            try body(&searches)
            searches.sort { ($0.type, $0.name) < ($1.type, $1.name) }
            guard let file else {
                kept = searches
                return
            }
            let items = searches.map { search -> JSONItem in
                .object(["name": .string(search.name), "type": .string(search.type), "query": .string(search.query)])
            }
            let json = JSONItem.object(["format": .string(Self.format), "searches": .array(items)]).json
            do { try PrivateFile.write(Data(json.utf8), to: file.path) } catch {
                throw PageProblem(
                    503, "The search is not saved",
                    "The file \(file.path) cannot be written (\((error as? POSIXError)?.reason ?? "an error of the system")): check its folder and the disk."
                )
            }
        }
    }

    private static let format = "firelite-searches-1"

    private func read() throws -> [SavedSearch] {
        guard let file else { return kept }
        guard FileManager.default.fileExists(atPath: file.path) else { return [] }
        let data: Data
        do {
            let handle = try FileHandle(forReadingFrom: file)
            defer { handle.closeFile() }
            data = try handle.read(upToCount: Self.most.file + 1) ?? Data()
        } catch { throw unreadable("cannot be read") }
        guard data.count <= Self.most.file else { throw unreadable("is too large") }
        let item: JSONItem
        do throws(JSONItemError) { item = try JSONItemReader.read(data) } catch { throw unreadable("is damaged") }
        guard item["format"]?.text == Self.format else { throw unreadable("is none that these pages wrote") }
        return try (item["searches"]?.items ?? []).prefix(Self.most.searches).map { one in
            guard let name = one["name"]?.text, let type = one["type"]?.text, let query = one["query"]?.text else {
                throw unreadable("is damaged")
            }
            return SavedSearch(name: name, type: type, query: query)
        }
    }

    private func unreadable(_ problem: String) -> PageProblem {
        PageProblem(
            503, "The saved searches cannot be read",
            "The file \(file?.path ?? "") \(problem): move it away, and the next search makes a new one.")
    }
}
