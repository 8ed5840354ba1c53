import Foundation
import Testing

@testable import Transport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite struct ChallengePolicyTests {
    private static let trust = "NSURLAuthenticationMethodServerTrust"
    private static let certificate = "NSURLAuthenticationMethodClientCertificate"

    private let pins = try? ServerTrustPolicy(anchors: .system, pins: [Data([1])])
    private let credential = URLCredential(user: "u", password: "p", persistence: .none)

    @Test(arguments: [
        (trust, true), (certificate, false), (NSURLAuthenticationMethodDefault, false),
        (NSURLAuthenticationMethodHTTPBasic, false), (NSURLAuthenticationMethodHTTPDigest, false),
        (NSURLAuthenticationMethodHTMLForm, false), (NSURLAuthenticationMethodNTLM, false),
        (NSURLAuthenticationMethodNegotiate, false), ("", false),
    ])
    func `default handling for server trust and proxies, rejection for all others`(method: String, isDefault: Bool) {
        let policy = ChallengePolicy()
        let action = policy.action(forMethod: method, isProxy: false)
        #expect(action == (isDefault ? .performDefaultHandling : .rejectProtectionSpace))
        #expect(policy.action(forMethod: method, isProxy: true) == .performDefaultHandling)
    }

    @Test func `certificates of the options are used for the server, not for a proxy`() throws {
        let policy = ChallengePolicy(trust: pins, clientCredential: credential)
        #expect(try policy.action(forMethod: Self.trust, isProxy: false) == .evaluateTrust(#require(pins)))
        #expect(policy.action(forMethod: Self.certificate, isProxy: false) == .sendCertificate)
        #expect(policy.action(forMethod: NSURLAuthenticationMethodHTTPBasic, isProxy: false) == .rejectProtectionSpace)
        for method in [Self.trust, Self.certificate] {
            #expect(policy.action(forMethod: method, isProxy: true) == .performDefaultHandling)
        }
        let onlyPins = ChallengePolicy(trust: pins)
        #expect(onlyPins.action(forMethod: Self.certificate, isProxy: false) == .rejectProtectionSpace)
        let onlyCredential = ChallengePolicy(clientCredential: credential)
        #expect(onlyCredential.action(forMethod: Self.trust, isProxy: false) == .performDefaultHandling)
    }

    @Test func `certificates are not evaluated if the result is not used`() throws {
        let any = try #require(
            try ServerTrustPolicy(anchors: .only(.data([Data([1])])), pins: [], verifiesChain: false))
        let action = ChallengePolicy(trust: any).action(forMethod: Self.trust, isProxy: false)
        #expect(action == .acceptTrust)
        // The chain of an evaluation is compared with the pins.
        for policy in [
            try ServerTrustPolicy(anchors: .system, pins: [Data([1])], verifiesChain: false),
            try ServerTrustPolicy(
                anchors: .system, pins: [], publicKeys: [PublicKeyPin(ofPublicKey: Data([1]))], verifiesChain: false),
            try ServerTrustPolicy(anchors: .only(.data([])), pins: []),
        ] {
            let policy = try #require(policy)
            let action = ChallengePolicy(trust: policy).action(forMethod: Self.trust, isProxy: false)
            #expect(action == .evaluateTrust(policy))
        }
    }

    @Test func `the default options need no policy`() throws {
        let policy = try ChallengePolicy(URLSessionTransport.NetworkOptions())
        #expect(policy.trust == nil && policy.clientCredential == nil)
    }

    #if canImport(Darwin) && !canImport(FoundationNetworking)
        @Test func `the constants have the expected values`() {
            #expect(NSURLAuthenticationMethodServerTrust == Self.trust)
            #expect(NSURLAuthenticationMethodClientCertificate == Self.certificate)
        }
    #endif
}
