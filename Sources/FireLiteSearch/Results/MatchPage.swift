import FireLite
import FireLiteCore
import Foundation

/// A page of a search whose matches are whole stored resources and all that there is on it, before they are read: the caller has them in JSON, or encodes
/// them.
package struct MatchPage: Sendable {
    /// The keys of the matches, in their order.
    package let keys: [Int64]
    private let base: String
    private let total: Int?
    /// The addresses of this page and the next one, below the base.
    private let address: String
    private let nextAddress: String?

    /// A match as an entry of a Bundle has it.
    package struct Match: Sendable {
        /// `Type/id`.
        package let reference: String
        /// The JSON of the resource.
        package let json: Data

        package init(reference: String, json: Data) {
            self.reference = reference
            self.json = json
        }
    }

    fileprivate init(keys: [Int64], base: String, total: Int?, address: String, nextAddress: String?) {
        self.keys = keys
        self.base = base
        self.total = total
        self.address = address
        self.nextAddress = nextAddress
    }

    /// The Bundle with these matches, as `SearchResult.bundleJSON` has it.
    package func json(_ matches: [Match]) -> Data {
        var json = Data(capacity: 512 + matches.reduce(0) { $0 + $1.json.count + $1.reference.utf8.count + base.utf8.count + 80 })
        json.append(#"{"resourceType":"Bundle","type":"searchset""#)
        if let total { json.append(",\"total\":\(total)") }
        json.append(#","link":[{"relation":"self","url":"#)
        json.append(JSONText.string("\(base)/\(address)"))
        if let nextAddress {
            json.append(#"},{"relation":"next","url":"#)
            json.append(JSONText.string("\(base)/\(nextAddress)"))
        }
        json.append("}]")
        for (index, match) in matches.enumerated() {
            json.append(index == 0 ? #","entry":[{"fullUrl":"# : #",{"fullUrl":"#)
            json.append(JSONText.string("\(base)/\(match.reference)"))
            json.append(#","resource":"#)
            json.append(match.json)
            json.append(#","search":{"mode":"match"}}"#)
        }
        json.append(matches.isEmpty ? "}" : "]}")
        return json
    }
}

extension ReadTransaction {
    /// The page of a search; nil if it has more than whole stored resources that match, or if reading them tells more than their rows.
    ///
    /// - Throws: `SearchError`; `FHIRStoreError` if the store cannot be read.
    package func matchPage(_ request: SearchRequest, options: SearchOptions) throws -> MatchPage? {
        guard hasOnlyRows else { return nil }
        let run = try SearchRun(self, request, options)
        return try counting(asBase: run.base) { try run.matchPage() }
    }
}

extension SearchRun {
    fileprivate func matchPage() throws -> MatchPage? {
        guard let base, !request.isEverything, control.contained == .none, control.includes.isEmpty, control.elements.isEmpty,
            control.summary == .none
        else { return nil }
        let (requests, issues) = try requests()
        // What was ignored is an entry, too.
        guard issues.isEmpty else { return nil }
        let page = try page(requests, issues)
        return MatchPage(
            keys: page.keys, base: base, total: try total(page, matches: page.keys.count), address: request.address,
            nextAddress: page.next.map { request.after($0).address })
    }
}

extension Data {
    fileprivate mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append($0) }
    }
}
