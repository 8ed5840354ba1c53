import Foundation
import HTTPMessages
import TestSupport
import Testing

@testable import Transport

@Suite struct ServerTrustPolicyTests {
    private static let (leaf, authority, other) = (Data([1]), Data([2]), Data([3]))

    @Test func `nothing to evaluate without anchors and pins`() throws {
        #expect(try ServerTrustPolicy(anchors: .system, pins: []) == nil)
        #expect(try ServerTrustPolicy(anchors: .only(.data([])), pins: []) != nil)
        #expect(try ServerTrustPolicy(anchors: .additional(.data([Self.other])), pins: []) != nil)
        #expect(try ServerTrustPolicy(anchors: .system, pins: [Self.other]) != nil)
    }

    @Test(
        arguments: [
            ([], nil, .accepted), ([leaf], nil, .accepted), ([authority, other], nil, .accepted),
            ([other], nil, .notPinned), ([], 0, .untrusted(nil)),
            // A pin does not replace trust.
            ([leaf], -67843, .untrusted(.untrustedCertificate)), ([leaf], -67818, .untrusted(.expiredCertificate)),
            ([leaf], -67819, .untrusted(.expiredCertificate)), ([leaf], -67602, .untrusted(.hostMismatch)),
        ] as [(Set<Data>, Int?, ServerTrustPolicy.Verdict)])
    func `a server is accepted with a trusted chain that contains a pin`(
        pins: Set<Data>, failure: Int?, verdict: ServerTrustPolicy.Verdict
    ) throws {
        let policy = try #require(try ServerTrustPolicy(anchors: .only(.data([Self.authority])), pins: pins))
        #expect(policy.verdict(failure: failure, chain: [Self.leaf, Self.authority]) == verdict)
    }

    @Test func `without verification, any chain is accepted, but a pin is still required`() throws {
        let any = try #require(try ServerTrustPolicy(anchors: .system, pins: [], verifiesChain: false))
        #expect(any.verdict(failure: -67843, chain: [Self.other]) == .accepted)
        let pinned = try #require(try ServerTrustPolicy(anchors: .system, pins: [Self.leaf], verifiesChain: false))
        #expect(pinned.verdict(failure: -67843, chain: [Self.leaf]) == .accepted)
        #expect(pinned.verdict(failure: -67843, chain: [Self.other]) == .notPinned)
    }

    @Test func `an empty chain contains no pin`() throws {
        let policy = try #require(try ServerTrustPolicy(anchors: .system, pins: [Self.leaf]))
        #expect(policy.verdict(failure: nil, chain: []) == .notPinned)
    }

    @Test func `a pinned public key accepts each of its certificates, in a trusted chain only`() throws {
        let policy = try #require(
            try ServerTrustPolicy(
                anchors: .system, pins: [], publicKeys: [PublicKeyPin(ofPublicKey: TestCertificates.publicKey)]))
        for certificate in [TestCertificates.original, TestCertificates.renewed] {
            #expect(policy.verdict(failure: nil, chain: [Self.leaf, certificate]) == .accepted)
            #expect(policy.verdict(failure: -67818, chain: [certificate]) == .untrusted(.expiredCertificate))
        }
        #expect(policy.verdict(failure: nil, chain: [TestCertificates.other, Self.leaf]) == .notPinned)
        #expect(policy.verdict(failure: nil, chain: []) == .notPinned)
    }

    @Test func `a refusal names the origin and the reason`() throws {
        let origin = try HTTPRequest(.get, "https://example.com/secret").origin
        #expect(ServerTrustPolicy.Verdict.accepted.tlsFailure == nil)
        let untrusted = ServerTrustPolicy.Verdict.untrusted(.expiredCertificate)
        #expect(untrusted.tlsFailure == .expiredCertificate)
        let notPinned = ServerTrustPolicy.Verdict.notPinned
        #expect(notPinned.tlsFailure == .untrustedCertificate)
        for verdict in [untrusted, notPinned] {
            #expect(verdict.message(for: origin).contains("example.com"))
            #expect(!verdict.message(for: origin).contains("secret"))
        }
    }
}
