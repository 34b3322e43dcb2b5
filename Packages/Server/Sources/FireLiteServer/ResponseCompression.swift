import FireLiteService
import HTTPTypes
import Hummingbird
import NIOCore

/// Packs answers for clients that accept gzip (RFC 9110, 12.5.3).
struct ResponseCompression {
    /// Shorter answers are sent as they are.
    private static let minimum = 1_024

    /// Whether a field `Accept-Encoding` names gzip with a weight above 0.
    static func acceptsGzip(_ field: String?) -> Bool {
        guard let field else { return false }
        var gzip: Double?
        var others: Double?
        for part in field.split(separator: ",") {
            let words = part.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            let weight = words.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            switch words.first {
            case "gzip", "x-gzip": gzip = weight
            case "*": others = weight
            default: continue
            }
        }
        return gzip ?? others ?? 0 > 0
    }

    /// Whether content of a type gets smaller; what a Binary holds mostly does not.
    static func isText(_ type: String?) -> Bool {
        guard let type else { return false }
        // Most answers are.
        if type.hasPrefix("application/fhir+json") { return true }
        let name = type.lowercased().utf8.prefix { $0 != UInt8(ascii: ";") }
        return isText(name: Substring(name))
    }

    private static func isText(name type: Substring) -> Bool {
        // An event must not wait for more to pack.
        guard type != "text/event-stream" else { return false }
        return type.hasPrefix("text/") || type.contains("json") || type.contains("xml")
    }

    private static func write(_ stream: HTTPBody, to writer: inout any ResponseBodyWriter, packs: Bool) async throws {
        let packer = packs ? Gzip.Packer() : nil
        for try await piece in stream {
            guard let packer else {
                try await writer.write(ByteBuffer(bytes: piece))
                continue
            }
            let bytes = packer.add(piece)
            if !bytes.isEmpty { try await writer.write(ByteBuffer(bytes: bytes)) }
        }
        if let packer { try await writer.write(ByteBuffer(bytes: packer.add([], isLast: true))) }
        try await writer.finish(nil)
    }

    /// The answer as it is sent.
    ///
    /// - Parameters:
    ///   - answer: the service's answer.
    ///   - fields: its fields, without those of compression.
    ///   - accepted: the request's field `Accept-Encoding`.
    static func response(_ answer: ServiceResponse, _ fields: HTTPTypes.HTTPFields, accepted: String?) -> Response {
        var fields = fields
        let status = HTTPTypes.HTTPResponse.Status(code: answer.status)
        let isText = isText(fields[.contentType])
        if isText { fields[.vary] = (fields[.vary].map { $0 + ", " } ?? "") + "Accept-Encoding" }
        let packs = isText && acceptsGzip(accepted)
        func pack() {
            fields[.contentEncoding] = "gzip"
            fields[.contentLength] = nil
        }
        switch answer.body {
        case .data(let data):
            guard !data.isEmpty else { return Response(status: status, headers: fields) }
            guard packs, data.count >= minimum else {
                var buffer = ByteBuffer()
                buffer.reserveCapacity(data.count)
                data.withUnsafeBytes { _ = buffer.writeBytes($0) }
                return Response(status: status, headers: fields, body: ResponseBody(byteBuffer: buffer))
            }
            pack()
            return Response(
                status: status, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(bytes: Gzip.Packer().add(data, isLast: true))))
        case .stream(let stream):
            let length = packs ? nil : fields[.contentLength].flatMap { Int($0) }
            if packs { pack() }
            let body = ResponseBody(contentLength: length) { writer in
                try await offLoop { try await write(stream, to: &writer, packs: packs) }
            }
            return Response(status: status, headers: fields, body: body)
        }
    }
}
