import Authentication
import Foundation
import HTTPMessages
import JSON
import PatchbayTestKit
import Testing
import Transport

@testable import SignIn

@Suite struct DiscoveryTests {
    private func metadata(
        _ issuer: String = "https://a.example", _ respond: @escaping @Sendable (HTTPRequest) -> HTTPResponse
    ) async throws -> OAuthServerMetadata {
        try await Discovery(
            issuer: Issuer(issuer), transport: AnyTransport(FakeTransport { respond($0) }), timeouts: Timeouts(),
            clock: ServerClock()
        ).metadata()
    }

    private func error(
        _ issuer: String = "https://a.example", _ respond: @escaping @Sendable (HTTPRequest) -> HTTPResponse
    ) async -> SignInError? {
        await #expect(throws: SignInError.self) { try await metadata(issuer, respond) }
    }

    private static func document(_ members: [String: JSONValue] = [:]) -> JSONValue {
        .object(["issuer": "https://a.example", "token_endpoint": "https://a.example/t"].merging(members) { $1 })
    }

    @Test func `the well-known URLs of OpenID Connect and of RFC 8414`() throws {
        #expect(
            try Issuer("https://a.example/tenant/").metadataURLs == [
                "https://a.example/tenant/.well-known/openid-configuration",
                "https://a.example/.well-known/oauth-authorization-server/tenant",
            ])
        #expect(
            try Issuer("http://127.0.0.1:80").metadataURLs == [
                "http://127.0.0.1:80/.well-known/openid-configuration",
                "http://127.0.0.1:80/.well-known/oauth-authorization-server",
            ])
    }

    @Test func `the second URL is asked where the first has no document`() async throws {
        let metadata = try await metadata { request in
            request.url.path.hasSuffix("oauth-authorization-server")
                ? request.response(json: Self.document()) : request.response(.notFound)
        }
        #expect(metadata.tokenEndpoint.absoluteString == "https://a.example/t" && !metadata.returnsIssuer)
        let error = await error { $0.response(.notFound) }
        #expect(error?.code == .invalidMetadata && error?.message.contains("404") == true)
    }

    @Test func `metadata of another issuer is refused, and both are named`() async {
        for other in ["https://b.example", "https://a.example/", "https://A.example"] {
            let error = await error { $0.response(json: Self.document(["issuer": .string(other)])) }
            #expect(error?.code == .otherIssuer && error?.message.contains("`\(other)`") == true)
        }
    }

    @Test func `damaged documents are refused, and the member is named`() async throws {
        #expect(await error { $0.response(text: "{\"issuer\": ") }?.code == .invalidMetadata)
        #expect(await error { $0.response(json: []) }?.code == .invalidMetadata)
        #expect(await error { $0.response(.serviceUnavailable) }?.message.contains("503") == true)
        for (name, value) in [
            ("token_endpoint", JSONValue.null), ("issuer", 7), ("revocation_endpoint", "::"),
            ("authorization_endpoint", "javascript:alert(1)"),
        ] {
            let error = await error { $0.response(json: Self.document([name: value])) }
            #expect(error?.code == .invalidMetadata && error?.message.contains("`\(name)`") == true, "\(name)")
        }
        let error = await error { $0.response(json: Self.document(["authorization_endpoint": "http://a.example/x"])) }
        #expect(error?.code == .insecureURL && error?.message.contains("`authorization_endpoint`") == true)
    }

    @Test func `an issuer is an https URL without a query`() {
        for (text, code) in [
            ("http://a.example", SignInError.Code.insecureURL), ("a.example", .invalidConfiguration),
            ("", .invalidConfiguration), ("https://a.example?x", .invalidConfiguration),
        ] {
            let error = #expect(throws: SignInError.self) { try Issuer(text) }
            #expect(error?.code == code, "\(text)")
        }
    }

    @Test func `metadata is saved and read as the server's document`() async throws {
        let metadata = try await metadata { $0.response(json: Self.document(["further": 7])) }
        let data = try JSONCoding.standard.encode(metadata)
        #expect(try JSONCoding.standard.decode(OAuthServerMetadata.self, from: data) == metadata)
        #expect(metadata.document["further"] == 7)
    }
}
