import FireLiteR4
import FireLiteTrust
import Foundation
import Testing

/// Whether a call is refused with a code.
func refusal(_ body: () throws -> Void) -> TrustError.Code? {
    do { try body() } catch let error as TrustError { return error.code } catch { return nil }
    return nil
}

/// Expects a call to be refused with a code.
func expect(_ code: TrustError.Code, _ location: SourceLocation = #_sourceLocation, _ body: () throws -> Void) {
    let found = refusal(body)
    #expect(found == code, sourceLocation: location)
}

@Suite struct SigningTests {
    /// The key, the payload and the signature of RFC 7515, appendix A.3.
    enum Vector {
        static let key = """
            {"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",\
            "d":"jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"}
            """
        static let payload = "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
        static let signature = "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
        static let compact = "eyJhbGciOiJFUzI1NiJ9.\(payload).\(signature)"
    }

    @Test func standardVectorsVerify() throws {
        let key = try PublicKey(jwk: Data(Vector.key.utf8))
        let compact = try JWS(Vector.compact)
        try compact.verify(with: key)
        #expect(
            String(decoding: compact.payload, as: UTF8.self)
                == "{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n \"http://example.com/is_root\":true}")
        // Appendix A.7.
        let json = """
            {"payload":"\(Vector.payload)","protected":"eyJhbGciOiJFUzI1NiJ9","header":{"kid":"e9bc097a-ce51-4036-9562-d2ade882db0d"},
             "signature":"\(Vector.signature)"}
            """
        let flattened = try JWS(json)
        try flattened.verify(with: key)
        #expect(flattened.keyID == "e9bc097a-ce51-4036-9562-d2ade882db0d")
        // Appendix F.
        try JWS("eyJhbGciOiJFUzI1NiJ9..\(Vector.signature)", payload: compact.payload).verify(with: key)
        // Appendices A.2 and A.5: algorithms that are not accepted.
        #expect(refusal { _ = try JWS("eyJhbGciOiJSUzI1NiJ9.\(Vector.payload).\(Vector.signature)") } == .unsupported)
        #expect(refusal { _ = try JWS("eyJhbGciOiJub25lIn0.\(Vector.payload).") } == .unsupported)
        // Appendix E: a header that must be understood.
        #expect(
            refusal {
                _ = try JWS(
                    "eyJhbGciOiJub25lIiwNCiAiY3JpdCI6WyJodHRwOi8vZXhhbXBsZS5jb20vVU5ERUZJTkVEIl0sDQogImh0dHA6Ly9leGFtcGxlLmNvbS9VTkRFRklORUQiOnRydWUNCn0.RkFJTA."
                )
            } == .unsupported)
    }

    /// The examples of RFC 7520, section 4, are signed with algorithms that are not accepted, each of them refused before its signature is looked at.
    @Test(arguments: [
        (#"{"alg":"RS256","kid":"bilbo.baggins@hobbiton.example"}"#, "4.1"),
        (#"{"alg":"PS384","kid":"bilbo.baggins@hobbiton.example"}"#, "4.2"),
        (#"{"alg":"ES512","kid":"bilbo.baggins@hobbiton.example"}"#, "4.3"),
        (#"{"alg":"HS256","kid":"018c0ae5-4d9b-471b-bfd6-eef314bc7037"}"#, "4.4"),
    ]) func algorithmsOfTheCookbookAreRefused(_ header: String, _ section: String) throws {
        let payload = "It\u{2019}s a dangerous business, Frodo, going out your door."
        let (encoded, text) = (Data(header.utf8).base64URLText, Data(payload.utf8).base64URLText)
        #expect(refusal { _ = try JWS("\(encoded).\(text).AAAA") } == .unsupported, "\(section)")
        // Sections 4.5 to 4.8: detached, and in JSON with one signature and with several.
        #expect(refusal { _ = try JWS("\(encoded)..AAAA", payload: Data(payload.utf8)) } == .unsupported)
        let flattened = #""protected":"\#(encoded)","signature":"AAAA""#
        #expect(refusal { _ = try JWS(#"{"payload":"\#(text)",\#(flattened)}"#) } == .unsupported)
        let several = #"{"payload":"\#(text)","signatures":[{\#(flattened)},{\#(flattened)}]}"#
        #expect(refusal { _ = try JWS(several) } == .unsupported)
    }

    /// A signature in JSON of which a second one is not looked at would be taken for all that was signed.
    @Test func severalSignaturesAndUnsignedMembersAreRefused() throws {
        let key = try PrivateKey()
        let signature = try JWS(signing: Data("x".utf8), with: key)
        let parts = signature.text().split(separator: ".").map(String.init)
        let place = #"{"protected":"\#(parts[0])","signature":"\#(parts[2])"}"#
        func read(_ members: String) -> TrustError.Code? {
            refusal { try JWS(#"{"payload":"\#(parts[1])",\#(members)}"#).verify(with: key.publicKey) }
        }
        #expect(read(#""signatures":[\#(place)]"#) == nil)
        #expect(read(#""signatures":[\#(place),\#(place)]"#) == .unsupported)
        let inner = #""protected":"\#(parts[0])","signature":"\#(parts[2])""#
        #expect(read(#"\#(inner),"header":{"kid":"x"}"#) == nil)
        #expect(read(#"\#(inner),"header":{"alg":"ES256"}"#) == .unsupported)
        #expect(read(#""signatures":[\#(place)],"signature":"\#(parts[2])""#) == .malformed)
    }

    /// The key and the thumbprint of RFC 7638, section 3.1.
    @Test func thumbprintsAreThoseOfTheStandard() throws {
        let modulus =
            "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw"
        let json = #"{"kty":"RSA","n":"\#(modulus)","e":"AQAB","alg":"RS256","kid":"2011-04-29"}"#
        let key = try PublicKey(jwk: Data(json.utf8))
        #expect(key.id == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
        #expect(key.algorithm == .rs384)
        #expect(try PublicKey(jwk: key.jwk) == key && PublicKey(pem: key.pem) == key)
    }

    @Test(arguments: [SignatureAlgorithm.es256, .es384]) func everyFormIsReadBack(_ algorithm: SignatureAlgorithm) throws {
        let key = try PrivateKey(algorithm.keyKind)
        let payload = Data("{\"a\":1}".utf8)
        let signature = try JWS(signing: payload, with: key, type: "test")
        for form in [JWS.Form.compact, .detached, .json] {
            let read = try JWS(signature.text(form), payload: form == .detached ? payload : nil)
            try read.verify(with: key.publicKey)
            #expect(read.payload == payload && read.type == "test" && read.keyID == key.publicKey.id && read == signature)
        }
        #expect(refusal { _ = try JWS(signature.text(), payload: Data("other".utf8)) } == .invalidSignature)
        let other = try PrivateKey(algorithm.keyKind)
        #expect(refusal { try signature.verify(with: other.publicKey) } == .invalidSignature)
        let another = try PrivateKey(algorithm == .es256 ? .p384 : .p256)
        #expect(refusal { try signature.verify(with: another.publicKey) } == .unsupported)
    }

    /// Each bit of each part is covered, or the text can no longer be read.
    @Test func flippedBitsAreRefused() throws {
        let key = try PrivateKey()
        let text = Array(try JWS(signing: Data("{\"scope\":\"patient/Observation.rs\"}".utf8), with: key).text().utf8)
        var refused = 0
        for place in text.indices {
            for bit in 0..<8 {
                var changed = text
                changed[place] ^= 1 << bit
                guard let string = String(validating: changed, as: UTF8.self) else { continue }
                let code = refusal { try JWS(string).verify(with: key.publicKey) }
                #expect([.malformed, .unsupported, .invalidSignature].contains(code), "bit \(bit) of byte \(place)")
                refused += 1
            }
        }
        #expect(refused > 1000)
    }

    @Test func doubtfulHeadersAreRefused() throws {
        func code(_ header: String) -> TrustError.Code? {
            refusal { _ = try JWS("\(Data(header.utf8).base64URLText).e30.AAAA") }
        }
        #expect(code(#"{"alg":"ES256"}"#) == nil)
        #expect(code(#"{"alg":"ES256","alg":"none"}"#) == .malformed)
        #expect(code(#"{"alg":"HS256"}"#) == .unsupported)
        #expect(code(#"{"alg":"None"}"#) == .unsupported)
        #expect(code(#"{"alg":"ES256","b64":false,"crit":["b64"]}"#) == .unsupported)
        // Each of the two members alone.
        #expect(code(#"{"alg":"ES256","crit":["exp"],"exp":1}"#) == .unsupported)
        #expect(code(#"{"alg":"ES256","crit":[]}"#) == .unsupported)
        #expect(code(#"{"alg":"ES256","b64":true}"#) == .unsupported)
        #expect(code(#"{"alg":"ES256","kid":7}"#) == .malformed)
        #expect(code(#"["alg"]"#) == .malformed)
        #expect(code("{\"alg\":\"ES256\"} x") == .malformed)
        #expect(code(String(repeating: "[", count: 100_000)) == .malformed)
        #expect(refusal { _ = try JWS("a.b") } == .malformed)
        #expect(refusal { _ = try JWS("e30=.e30.AAAA") } == .malformed)
        #expect(refusal { _ = try JWS("") } == .malformed)
    }
}

extension Data {
    /// base64url without padding.
    var base64URLText: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
