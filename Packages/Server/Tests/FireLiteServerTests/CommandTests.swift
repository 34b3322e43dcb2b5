import ArgumentParser
import Testing

@testable import firelite_server

@Suite struct CommandTests {
    private func problem(_ arguments: String...) -> String? {
        do {
            _ = try ServerCommand.parse(["--database", "a.sqlite"] + arguments)
            return nil
        } catch {
            return ServerCommand.message(for: error)
        }
    }

    @Test func otherAddressesNeedAuthorization() {
        #expect(problem() == nil)
        #expect(problem("--address", "::1", "--no-authorization") == nil)
        #expect(problem("--address", "0.0.0.0")?.contains("--token-file") == true)
        #expect(problem("--address", "192.168.1.2", "--no-authorization")?.contains("--token-file") == true)
        #expect(problem("--address", "0.0.0.0", "--token-file", "tokens") == nil)
    }

    @Test func optionsThatDoNotFitAreRefused() {
        #expect(problem("--certificate", "a.pem")?.contains("--key") == true)
        #expect(problem("--jwks", "a.json")?.contains("--issuer") == true)
        #expect(problem("--no-authorization", "--token-file", "t")?.contains("at most one") == true)
        #expect(problem("--port", "70000")?.contains("65535") == true)
        #expect(problem("--ask-key", "--key-file", "k")?.contains("--ask-key") == true)
        #expect(problem("--ask-key", "--no-pages")?.contains("--ask-key") == true)
        #expect(problem("--max-time", "0")?.contains("--max-time") == true)
        #expect(problem("--index", "Observation.code", "--read-only")?.contains("--index") == true)
        #expect(problem("--signing-key", "a.pem")?.contains("--signer") == true)
        #expect(problem("--signing-key", "a.pem", "--signer", "Device/7") == nil)
        #expect(problem("--signing-key", "a.key", "--signer", "Device/7")?.contains(".pem") == true)
        #expect(problem("--signing-key", "a.pem", "--signer", "Device/7", "--unaudited")?.contains("--unaudited") == true)
        #expect(problem("--max-body", "0")?.contains("--max-body") == true)
    }
}
