import Authentication
import HTTPMessages
import PatchbayTestKit
import Synchronization
import Testing
import Transport

@Suite struct BearerAuthorizerTests {
    @Test func `a fixed token is sent, and its rejection is returned`() async throws {
        let base = ScriptedTransport([.text("ok")], then: .status(.unauthorized))
        let transport = base.authorizing(with: try .bearer("t0ken"), at: try AllowedOrigins(api))
        #expect(try await transport.send(request()).status == .ok)
        #expect(try await transport.send(request()).status == .unauthorized)
        #expect(base.requests.map { $0.fields[.authorization] } == ["Bearer t0ken", "Bearer t0ken"])
    }

    @Test func `a closure is called again after a rejection`() async throws {
        let count = Mutex(0)
        let base = ScriptedTransport([.status(.unauthorized)], then: .text("ok"))
        let transport = base.authorizing(
            with: .bearer {
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                return try OAuthToken("t\(number)")
            }, at: try AllowedOrigins(api))
        for _ in 0..<2 { #expect(try await transport.send(request()).status == .ok) }
        #expect(base.requests.map { $0.fields[.authorization] } == ["Bearer t1", "Bearer t2", "Bearer t2"])
    }

    @Test(arguments: ["", "=", "a b", "a\r\nb", "a=b", "ä", "a,b"])
    func `an invalid token is an error`(token: String) {
        let error = #expect(throws: AuthenticationError.self) { try BearerAuthorizer(token: token) }
        #expect(error?.code == .invalidCredential)
    }
}
