import FireLiteCore
import Foundation

extension FHIRClient {
    /// A Bundle that a server returned page by page.
    package struct ReceivedBundle {
        package let bundle: FHIRResource
        package let next: URL?
        package let total: Int?
        package let serverTime: Date?
        /// The resources that were taken out as they cannot be read.
        package let unreadable: [UnreadableEntry]
        package let content: PageContent
    }

    /// Reads a page.
    ///
    /// - Parameters:
    ///   - request: the search; describes the page in errors.
    ///   - url: the page's address; nil for the first.
    package func bundle(_ request: FHIRRequest, at url: URL?) async throws -> sending ReceivedBundle {
        try received(try await pageText(request, at: url))
    }

    /// A page as it came.
    package struct PageText: Sendable {
        let request: FHIRRequest
        let address: URL
        package let response: HTTPResponse
    }

    /// Reads a page without decoding it.
    ///
    /// - Parameters:
    ///   - request: the search; describes the page in errors.
    ///   - url: the page's address; nil for the first.
    package func pageText(_ request: FHIRRequest, at url: URL?) async throws -> PageText {
        let request = url == nil ? request : FHIRRequest(.get, request.path, fields: request.fields.withoutContent)
        let address = try url ?? self.url(of: request)
        return PageText(request: request, address: address, response: try await RequestRun(self, request, url: address).send())
    }

    /// Decodes a page.
    ///
    /// - Parameter takesOutUnreadable: whether resources that cannot be read are taken out instead of making the page unreadable.
    /// - Throws: `FHIRClientError.invalidResponse` if it is not a Bundle of the type `searchset` or `history`.
    package func received(_ page: PageText, takesOutUnreadable: Bool = false) throws -> sending ReceivedBundle {
        let (request, address, response) = (page.request, page.address, page.response)
        let bundle: FHIRResource
        var unreadable: [UnreadableEntry] = []
        do {
            bundle = try decode(FHIRResource.self, response.body, request)
        } catch let error as FHIRClientError where takesOutUnreadable && error.code == .invalidResponse {
            let mended =
                response.body.isXML
                ? MendedBundle(xml: response.body, release: release) : try MendedBundle(response.body, read: { _ = try read($0) })
            guard let mended else { throw error }
            // Each resource in it can be read, so only what is around them is read as far as it can be.
            bundle = try decode(FHIRResource.self, mended.json, request, leniently: true)
            unreadable = mended.unreadable
        }
        guard bundle.resourceType == "Bundle" else {
            throw FHIRClientError(.invalidResponse, "\(request): the answer is of type \(bundle.resourceType), not Bundle")
        }
        // FHIR requires the type. Without it, an empty Bundle of anything on the way would look like a search without results.
        guard ["searchset", "history"].contains(bundle.text("type")) else {
            throw FHIRClientError(
                .invalidResponse, "\(request): the answer is a Bundle of another type than searchset or history, or of none")
        }
        let link = bundle.children("link").first { $0.text("relation") == "next" }?.text("url")
        var next: URL?
        if let link {
            next = URL(string: link, relativeTo: address)?.absoluteURL
            // A link that would make the rest of the result readable on the way is a mistake of the server, or an attack.
            guard let target = next.flatMap(Origin.init), configuration.isPrivate(target),
                target.scheme == "https" || client(isPlainAt: address)
            else {
                throw FHIRClientError(.redirected, "\(request): the link to the next page is not an address, or not HTTPS")
            }
        }
        let time = bundle.child("meta")?.instant("lastUpdated")?.date ?? HTTPDate.date(response.fields["Date"])
        return ReceivedBundle(
            bundle: bundle, next: next, total: bundle.integer("total"), serverTime: time, unreadable: unreadable,
            content: PageContent(bundle, unreadable))
    }

    private func client(isPlainAt url: URL) -> Bool { Origin(url)?.scheme == "http" }

    /// Reads a page of a search.
    func page<Resource: FHIRResource>(
        _ type: Resource.Type, _ request: FHIRRequest, at url: URL?
    ) async throws -> sending FHIRPage<Resource> {
        let received = try await bundle(request, at: url)
        var matches: [Resource] = []
        var included: [FHIRResource] = []
        var issues: [OutcomeIssue] = []
        for entry in received.bundle.children("entry") {
            let mode = entry.child("search")?.text("mode")
            guard let resource = entry.takeResource("resource") else { continue }
            if mode == "outcome"
                || (mode == nil && resource.resourceType == "OperationOutcome" && Resource._layout.name != "OperationOutcome")
            {
                issues += OutcomeIssue.issues(in: FHIRJSON.data(resource))
            } else if mode != "include", let match = resource as? Resource {
                matches.append(match)
            } else {
                included.append(resource)
            }
        }
        return FHIRPage(
            matches: matches, included: included, issues: issues, total: received.total, next: received.next,
            serverTime: received.serverTime, content: received.content)
    }
}

extension HTTPFields {
    /// Without the fields that describe a body.
    fileprivate var withoutContent: HTTPFields {
        var fields = self
        fields["Content-Type"] = nil
        return fields
    }
}
