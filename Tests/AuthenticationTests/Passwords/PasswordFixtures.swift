import Foundation
import HTTPMessages
import PatchbayTestKit
import Transport

@testable import Authentication

let mufasa = PasswordCredential(user: "Mufasa", password: "Circle of Life")
let imposter = PasswordCredential(user: "Mufasa", password: "wr0ng")

/// A call loop over ``PasswordAuthentication`` as an app would write it.
struct PasswordCalls<Base: Transport>: Sendable {
    let base: Base
    var authentication = PasswordAuthentication(random: SeededGenerator(seed: 1))
    let store = CredentialStore()
    var limit = 10
    /// Returns the credential for a challenge.
    var ask: @Sendable (PasswordChallenge) async throws -> PasswordCredential? = { _ in mufasa }

    func send(_ original: HTTPRequest) async throws -> HTTPResponse {
        var request = original
        try authentication.authorizePreemptively(&request, from: store)
        for _ in 0..<limit {
            let response = try await base.send(request)
            guard let challenge = try authentication.challenge(in: response.head, of: request) else {
                try authentication.verify(response.head, body: response.body, of: request)
                return response
            }
            let credential =
                challenge.isStale
                ? challenge.sent
                : try await store.resolve(challenge.space, rejected: challenge.rejected) { try await ask(challenge) }
            guard let credential else { return response }
            try authentication.authorize(&request, for: challenge, with: credential)
        }
        throw LoopEnded()
    }
}

struct LoopEnded: Error {}
