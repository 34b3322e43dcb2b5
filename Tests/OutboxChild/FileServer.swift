import FireLiteSync
import Foundation

/// A FHIR server as a folder, for programs that are killed: what a write has put into its file is committed, whoever dies afterwards.
///
/// It knows creates with and without a condition, and updates. `resources` has a line `Type mark number` for each resource in the order of
/// their creation, `requests` one for each request, and `reports` on standard output say how far a request has come.
struct FileServer: HTTPTransport {
    let folder: String
    /// Whether each step is reported on standard output.
    var reports = false

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let number = try Self.number(in: request.body ?? Data())
        report("received \(number)")
        try append("\(getpid()) \(number)\n", to: "requests")
        let response = try locked { try answer(request, number) }
        report("committed \(number)")
        return response
    }

    private func answer(_ request: HTTPRequest, _ number: Int) throws -> HTTPResponse {
        let mark = request.fields["If-None-Exist"] ?? request.url.path
        let known = try String(contentsOfFile: path("resources"), encoding: .utf8).split(separator: "\n")
        if let place = known.firstIndex(where: { $0.split(separator: " ")[1] == mark }) {
            return located(200, request, place)
        }
        try append("\(request.method) \(mark) \(number)\n", to: "resources")
        return located(201, request, known.count)
    }

    private func located(_ status: Int, _ request: HTTPRequest, _ place: Int) -> HTTPResponse {
        let id = request.method == .post ? "\(place)" : request.url.lastPathComponent
        let location = request.method == .post ? "\(request.url.absoluteString)/\(place)" : request.url.absoluteString
        let created = Data("{\"resourceType\":\"Patient\",\"id\":\"\(id)\"}".utf8)
        return HTTPResponse(
            status, fields: ["Location": "\(location)/_history/1"], body: request.method == .post ? created : request.body ?? created)
    }

    /// The number in the patient's name.
    private static func number(in body: Data) throws -> Int {
        struct Patient: Decodable {
            struct Name: Decodable { let family: String }
            let name: [Name]
        }
        return Int(try JSONDecoder().decode(Patient.self, from: body).name[0].family) ?? -1
    }

    // MARK: - Files

    private func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// With one call, of which nothing or all happens even if the program is killed.
    private func append(_ line: String, to name: String) throws {
        let file = open(path(name), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw CocoaError(.fileWriteUnknown) }
        defer { close(file) }
        let bytes = Array(line.utf8)
        guard write(file, bytes, bytes.count) == bytes.count else { throw CocoaError(.fileWriteUnknown) }
    }

    /// Runs `body` while no other process does.
    private func locked<Value>(_ body: () throws -> Value) throws -> Value {
        let file = open(path("resources"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw CocoaError(.fileReadUnknown) }
        defer { close(file) }
        guard flock(file, LOCK_EX) == 0 else { throw CocoaError(.fileLocking) }
        return try body()
    }

    private func report(_ text: String) { if reports { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) } }
}
