import FireLiteLegacy
import FireLiteTrust
import Foundation
import Testing

@Suite struct LegacyPayloadTests {
    @Test func payloadsHaveTheOldBytes() throws {
        let key = try PublicKey(jwk: Data(SigningTests.Vector.key.utf8))
        let nonce = "01234567890123456789012345678901"
        let der =
            "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEXH8UTNG72bfocs3+257rn0s2ldbqkLJK2KRiMohYjlrQ=="
        let registration = try LegacyPayload.registration(of: key, deviceID: "D-1", date: "2020-01-01 10:00:00", nonce: nonce)
        #expect(
            registration.text
                == "|ecdsa|\(der)|D-1|2020-01-01 10:00:00|\(nonce)|"
                + #"[{"key": "DateofBirth", "value": ""}, {"key": "FirstName", "value": ""}, {"key": "MiddleName", "value": ""}, "#
                + #"{"key": "LastName", "value": ""}, {"key": "Gender", "value": ""}]|"#)
        #expect(try LegacyPayload.claims(of: "G-1", date: "d", nonce: nonce).text == "|G-1|d|\(nonce)|")
        let permission = try LegacyPayload.permission(from: "G-1", to: ["G-2", "G-3"], start: "s", end: "e", date: "d", nonce: nonce)
        #expect(permission.text == "|e|s|G-2|G-3|patient|V|ETH|SOC|Patient|G-1|d|\(nonce)|")
        #expect(try LegacyPayload.permissionsGiven(by: "G-1", date: "d", nonce: nonce).text == "|G-1|d|\(nonce)|")
        #expect(try LegacyPayload.permissionsGivenToMe(date: "d", nonce: nonce).text == "|d|\(nonce)|")
        expect(.invalidArgument) { _ = try LegacyPayload.claims(of: "a|b", date: "d", nonce: nonce) }
    }

    @Test func oldSignaturesAreDER() throws {
        let key = try PrivateKey()
        let payload = try LegacyPayload.permissionsGivenToMe(date: "d", nonce: "1")
        let signature = try payload.signature(with: key)
        #expect(Data(base64Encoded: signature)?.first == 0x30)
        #expect(payload.isValid(signature: signature, with: key.publicKey))
        let other = try LegacyPayload.permissionsGivenToMe(date: "d", nonce: "2")
        #expect(!other.isValid(signature: signature, with: key.publicKey))
    }
}
