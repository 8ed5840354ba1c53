import Foundation
import HTTPMessages
import Synchronization
import Transport

/// The rule that no secret is stored: a request with one is refused, so that no credential is lost without a word.
final class SecretRule: Sendable {
    /// An app has few field names; their number is limited nevertheless, since an app may make them up.
    private static let maximumNames = 256

    private let redaction: Redaction
    /// The names that were looked at, since that takes microseconds.
    private let names = Mutex<[String: Bool]>([:])

    init(_ redaction: Redaction) { self.redaction = redaction }

    /// Checks the header fields, the body's option and the URL.
    /// - Throws: ``OutboxError`` (`secret`).
    func check(_ request: HTTPRequest) throws(OutboxError) {
        for field in request.fields where isSecret(field.name) {
            throw OutboxError(
                .secret,
                "Header field \(field.name) is a secret, which an outbox does not store; add it when the request is "
                    + "sent, by a layer such as `authorizing` or `modifyingRequests`.")
        }
        guard !request.options.hasSecretBody else {
            throw OutboxError(
                .secret,
                "Body has credentials (`hasSecretBody`), which an outbox does not store; send the request without "
                    + "an outbox, or add them when it is sent, by a layer such as `modifyingRequests`.")
        }
        // Others have no query, no key of an entity, also in escaped parentheses, and no parameter of a path.
        guard request.url.absoluteString.utf8.contains(where: Self.mayBeginSecret),
            redaction.forDecisions.redactedByNames(request.url).contains(Redaction.placeholder)
        else { return }
        throw OutboxError(
            .secret,
            "URL has a secret query value or key, which an outbox does not store; add it when the request is sent, "
                + "by a layer, or remove its name from `OutboxOptions.redaction`.")
    }

    private static func mayBeginSecret(_ byte: UInt8) -> Bool {
        "?(;%".utf8.contains(byte)
    }

    /// A URL without what is secret.
    func publicURL(_ url: URL) -> String { redaction.redacted(url) }

    /// The fields of a response without secret ones.
    func publicFields(_ fields: HTTPFields) -> HTTPFields {
        var kept = fields
        for field in fields where isSecret(field.name) { kept.remove(field.name) }
        return kept
    }

    private func isSecret(_ name: HTTPFieldName) -> Bool {
        if let known = names.withLock({ $0[name.rawName] }) { return known }
        let isSecret = redaction.isCredential(name)
        names.withLock { names in
            if names.count >= Self.maximumNames { names = [:] }
            names[name.rawName] = isSecret
        }
        return isSecret
    }
}
