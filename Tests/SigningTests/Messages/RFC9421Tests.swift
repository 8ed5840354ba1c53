import Foundation
import HTTPMessages
import Testing

@testable import Signing

/// The examples of RFC 9421, appendix B.
@Suite struct RFC9421Tests {
    static let digest =
        "sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:"
    static let responseDigest =
        "sha-512=:mEWXIS7MaLRuGgxOBdODa3xqM1XdEvxoYhvlCFJ41QJgJc4GTsPp29l5oGX69wWdXymyU0rjJuahq4l5aGgfLQ==:"
    static let created = Date(timeIntervalSince1970: 1_618_884_473)

    static func request() throws -> HTTPRequest {
        try HTTPRequest(
            .post, "https://example.com/foo?param=Value&Pet=dog",
            fields: HTTPFields([
                "Date": "Tue, 20 Apr 2021 02:07:55 GMT", "Content-Type": "application/json", "Content-Digest": digest,
                "Content-Length": "18",
            ]), body: .text(#"{"hello": "world"}"#))
    }

    static func response() throws -> HTTPResponseHead {
        HTTPResponseHead(
            status: .ok,
            fields: try HTTPFields([
                "Date": "Tue, 20 Apr 2021 02:07:56 GMT", "Content-Type": "application/json",
                "Content-Digest": responseDigest, "Content-Length": "23",
            ]), url: try request().url)
    }

    private func verifier(
        _ components: Set<SignatureComponent> = [], at now: Date = created
    ) throws -> MessageVerifier {
        let keys = try [
            ExampleKeys.rsaPublic(), ExampleKeys.p256().verificationKey, ExampleKeys.ed25519().verificationKey,
            ExampleKeys.shared().verificationKey,
        ]
        return MessageVerifier(requiring: components, now: { now }) { id in keys.first { $0.id == id } }
    }

    /// The name, Signature-Input and Signature of the signed requests.
    static let requests: [(input: String, signature: String)] = [
        (
            #"sig-b21=();created=1618884473;keyid="test-key-rsa-pss";nonce="b3k2pp5k7z-50gnwp.yemd""#,
            "sig-b21=:d2pmTvmbncD3xQm8E9ZV2828BjQWGgiwAaw5bAkgibUopemLJcWDy/lkbbHAve4cRAtx31Iq786U7it++wgGxbtRxf8Udx7zFZ"
                + "sckzXaJMkA7ChG52eSkFxykJeNqsrWH5S+oxNFlD4dzVuwe8DhTSja8xxbR/Z2cOGdCbzR72rgFWhzx2VjBqJzsPLMIQKhO4DGezXehh"
                + "WwE56YCE+O6c0mKZsfxVrogUvA4HELjVKWmAvtl6UnCh8jYzuVG5WSb/QEVPnP5TmcAnLH1g+s++v6d4s8m0gCw1fV5/SITLq9mhho8K"
                + "3+7EPYTU8IU1bLhdxO5Nyt8C8ssinQ98Xw9Q==:"
        ),
        (
            #"sig-b22=("@authority" "content-digest" "@query-param";name="Pet");created=1618884473"#
                + #";keyid="test-key-rsa-pss";tag="header-example""#,
            "sig-b22=:LjbtqUbfmvjj5C5kr1Ugj4PmLYvx9wVjZvD9GsTT4F7GrcQEdJzgI9qHxICagShLRiLMlAJjtq6N4CDfKtjvuJyE5qH7KT8UCM"
                + "kSowOB4+ECxCmT8rtAmj/0PIXxi0A0nxKyB09RNrCQibbUjsLS/2YyFYXEu4TRJQzRw1rLEuEfY17SARYhpTlaqwZVtR8NV7+4UKkjqp"
                + "cAoFqWFQh62s7Cl+H2fjBSpqfZUJcsIk4N6wiKYd4je2U/lankenQ99PZfB4jY3I5rSV2DSBVkSFsURIjYErOs0tFTQosMTAoxk//0Ro"
                + "KUqiYY8Bh0aaUEb0rQl3/XaVe4bXTugEjHSw==:"
        ),
        (
            #"sig-b23=("date" "@method" "@path" "@query" "@authority" "content-type" "content-digest" "content-length")"#
                + #";created=1618884473;keyid="test-key-rsa-pss""#,
            "sig-b23=:bbN8oArOxYoyylQQUU6QYwrTuaxLwjAC9fbY2F6SVWvh0yBiMIRGOnMYwZ/5MR6fb0Kh1rIRASVxFkeGt683+qRpRRU5p2voTp"
                + "768ZrCUb38K0fUxN0O0iC59DzYx8DFll5GmydPxSmme9v6ULbMFkl+V5B1TP/yPViV7KsLNmvKiLJH1pFkh/aYA2HXXZzNBXmIkoQoLd"
                + "7YfW91kE9o/CCoC1xMy7JA1ipwvKvfrs65ldmlu9bpG6A9BmzhuzF8Eim5f8ui9eH8LZH896+QIF61ka39VBrohr9iyMUJpvRX2Zbhl5"
                + "ZJzSRxpJyoEZAFL2FUo5fTIztsDZKEgM4cUA==:"
        ),
        (
            #"sig-b25=("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret""#,
            "sig-b25=:pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=:"
        ),
        (
            #"sig-b26=("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473"#
                + #";keyid="test-key-ed25519""#,
            "sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:"
        ),
    ]

    @Test(arguments: requests.indices) func `the signed requests are valid`(index: Int) throws {
        let (input, signature) = Self.requests[index]
        var request = try Self.request()
        try request.fields.set("Signature-Input", to: input)
        try request.fields.set("Signature", to: signature)
        let verified = try verifier().verify(request)
        #expect(input.hasPrefix(verified.label) && verified.parameters.created == Self.created)
        // What is not covered may change, unless the signature covers it.
        try request.setURL("https://other.example/foo?param=Value&Pet=dog")
        guard !verified.components.isEmpty else { return }
        let error = #expect(throws: SigningError.self) { try verifier().verify(request) }
        #expect(error?.code == .invalidSignature)
    }

    @Test func `the deterministic signatures are made as the examples have them`() throws {
        let components: [SignatureComponent] = [
            .field(.date), .method, .path, .authority, .field(.contentType), .field(.contentLength),
        ]
        let parameters = SignatureParameters(created: Self.created, keyID: "test-shared-secret")
        var request = try Self.request()
        try MessageSignature.sign(
            &request, with: ExampleKeys.shared(), components: [.field(.date), .authority, .field(.contentType)],
            parameters, label: "sig-b25")
        #expect(request.fields["Signature-Input"] == Self.requests[3].input)
        #expect(request.fields["Signature"] == Self.requests[3].signature)
        #if !canImport(CryptoKit)  // There the signatures of Ed25519 are random.
            request = try Self.request()
            try MessageSignature.sign(
                &request, with: ExampleKeys.ed25519(), components: components,
                SignatureParameters(created: Self.created, keyID: "test-key-ed25519"), label: "sig-b26")
            #expect(request.fields["Signature-Input"] == Self.requests[4].input)
            #expect(request.fields["Signature"] == Self.requests[4].signature)
        #endif
        #expect(components.count == 6)
    }

    @Test func `the signed response is valid`() throws {
        var response = try Self.response()
        try response.fields.set(
            "Signature-Input",
            to: #"sig-b24=("@status" "content-type" "content-digest" "content-length");created=1618884473"#
                + #";keyid="test-key-ecc-p256""#)
        try response.fields.set(
            "Signature",
            to: "sig-b24=:wNmSUAhwb5LxtOtOpNa6W5xj067m5hFrj0XQ4fvpaCLx0NKocgPquLgyahnzDnDAUy5eCdlYUEkLIj+32oiasw==:")
        let verifier = try verifier([.status, .contentDigest])
        #expect(try verifier.verify(response).label == "sig-b24")
        response.status = .created
        #expect(throws: SigningError.self) { try verifier.verify(response) }
    }

    @Test func `a response is bound to its request (section 2.4)`() throws {
        let sent =
            "sha-512=:0Y6iCBzGg5rZtoXS95Ijz03mslf6KAMCloESHObfwnHJDbkkWWQz6PhhU9kxsTbARtY2PTBOzq24uJFpHsMuAg==:"
        let response = HTTPResponseHead(
            status: .serviceUnavailable,
            fields: try HTTPFields([
                "Date": "Tue, 20 Apr 2021 02:07:56 GMT", "Content-Type": "application/json", "Content-Length": "62",
                "Content-Digest": sent,
                "Signature-Input": #"reqres=("@status" "content-digest" "content-type" "@authority";req "@method";req "#
                    + #""@path";req "content-digest";req);created=1618884479;keyid="test-key-ecc-p256""#,
                "Signature":
                    "reqres=:dMT/A/76ehrdBTD/2Xx8QuKV6FoyzEP/I9hdzKN8LQJLNgzU4W767HK05rx1i8meNQQgQPgQp8wq2ive3tV5Ag==:",
            ]), url: try Self.request().url)
        let verifier = try verifier([.status, SignatureComponent.contentDigest.ofRequest])
        #expect(try verifier.verify(response, to: Self.request()).label == "reqres")
        var other = try Self.request()
        try other.fields.set("Content-Digest", to: sent)
        #expect(throws: SigningError.self) { try verifier.verify(response, to: other) }
        let error = #expect(throws: SigningError.self) { try verifier.verify(response) }
        #expect(error?.code == .invalidComponent && error?.head == response)
    }

    @Test func `the request behind a proxy is valid (B.3)`() throws {
        let certificate =
            ":MIIBqDCCAU6gAwIBAgIBBzAKBggqhkjOPQQDAjA6MRswGQYDVQQKDBJMZXQncyBBdXRoZW50aWNhdGUxGzAZBgNVBAMMEkxBIEludGVyb"
            + "WVkaWF0ZSBDQTAeFw0yMDAxMTQyMjU1MzNaFw0yMTAxMjMyMjU1MzNaMA0xCzAJBgNVBAMMAkJDMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQ"
            + "cDQgAE8YnXXfaUgmnMtOXU/IncWalRhebrXmckC8vdgJ1p5Be5F/3YC8OthxM4+k1M6aEAEFcGzkJiNy6J84y7uzo9M6NyMHAwCQYDVR0"
            + "TBAIwADAfBgNVHSMEGDAWgBRm3WjLa38lbEYCuiCPct0ZaSED2DAOBgNVHQ8BAf8EBAMCBsAwEwYDVR0lBAwwCgYIKwYBBQUHAwIwHQYD"
            + "VR0RAQH/BBMwEYEPYmRjQGV4YW1wbGUuY29tMAoGCCqGSM49BAMCA0gAMEUCIBHda/r1vaL6G3VliL4/Di6YK0Q6bMjeSkC3dFCOOB8TA"
            + "iEAx/kHSB4urmiZ0NX5r5XarmPk0wmuydBVoU4hBVZ1yhk=:"
        var request = try Self.request()
        try request.setURL("https://service.internal.example/foo?param=Value&Pet=dog")
        try request.fields.set("Client-Cert", to: certificate)
        try request.fields.set(
            "Signature-Input",
            to: #"ttrp=("@path" "@query" "@method" "@authority" "client-cert");created=1618884473"#
                + #";keyid="test-key-ecc-p256""#)
        try request.fields.set(
            "Signature",
            to: "ttrp=:xVMHVpawaAC/0SbHrKRs9i8I3eOs5RtTMGCWXm/9nvZzoHsIg6Mce9315T6xoklyy0yzhD9ah4JHRwMLOgmizw==:")
        #expect(try verifier().verify(request).label == "ttrp")
    }

    @Test func `a request that was changed on its way is valid as far as it is covered (B.4)`() throws {
        var request = try HTTPRequest(
            .get, "https://example.org/demo?name1=Value1&Name2=value2",
            fields: HTTPFields([
                "Accept": "application/json", "accept": "*/*",
                "Signature-Input":
                    #"transform=("@method" "@path" "@authority" "accept");created=1618884473;keyid="test-key-ed25519""#,
                "Signature":
                    "transform=:ZT1kooQsEHpZ0I1IjCqtQppOmIqlJPeo7DHR3SoMn0s5JZ1eRGS0A+vyYP9t/LXlh5QMFFQ6cpLt2m0pmj3NDA==:",
            ]))
        try verifier().verify(request)
        try request.setURL("https://example.org/demo?name1=Value1&Name2=value2&param=added")
        try verifier().verify(request)
        try request.fields.set("Accept", to: "*/*, application/json")
        #expect(throws: SigningError.self) { try verifier().verify(request) }
    }
}
