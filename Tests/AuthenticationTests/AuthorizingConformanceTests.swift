import Authentication
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import ConformanceProbe

@Suite(.needsSlot) struct AuthorizingConformanceTests {
    /// With a credential from the start: a wait would use up some of the total timeout.
    private static func layer<Base: Transport>(over base: Base) -> Authorizing<Base, NumberedTokens> {
        let credentials = CredentialCache(NumberedTokens())
        credentials.insert(IssuedCredential("token-0"), for: .empty)
        return base.authorizing(with: credentials, at: .chosenByAuthorizer)
    }

    private static let purpose: ConformanceExclusion = "credentials are the purpose of the layer"
    private static let exclusions = [
        "fields arrive unchanged, those of one name combined": purpose,
        "no cookies, cache or credentials are kept between requests": purpose,
        "a challenge is a response, at once and with its body": purpose,
        "credentials do not follow a redirect to another origin": purpose,
    ]

    static let subjects = [
        ConformanceSubject(inProcess: "Authorizing", exclusions: exclusions) { layer(over: ScriptedTransport($0)) },
        ConformanceSubject(
            overSocket: "Authorizing over a network", exclusions: ConformanceSubject.urlSessionExclusions
        ) { clock in layer(over: URLSessionTransport(clock: clock)) },
    ]

    /// Over a network only faults, streaming and cancellation: layers do not read bytes.
    static func cases(for subject: ConformanceSubject) -> [ConformanceCase] {
        guard subject.capabilities.contains(.socket) else { return TransportConformance.cases }
        return TransportConformance.cases.filter {
            !$0.needs.isDisjoint(with: [.faults, .streaming, .clock]) || $0.name.contains("cancel")
        }
    }

    @Test(arguments: subjects) func `the layer conforms`(subject: ConformanceSubject) async {
        for conformance in Self.cases(for: subject) {
            await #expect(throws: Never.self) { try await conformance.check(subject) }
        }
    }
}
