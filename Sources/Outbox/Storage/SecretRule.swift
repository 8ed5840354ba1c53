import Foundation
import HTTPMessages

/// The rule that no secret is stored: a request with one is refused, so that no credential is lost without a word.
struct SecretRule {
    private let redaction: Redaction

    init(_ redaction: Redaction) { self.redaction = redaction }

    /// Checks the header fields and the URL.
    /// - Throws: ``OutboxError`` (`secret`).
    func check(_ request: HTTPRequest) throws(OutboxError) {
        for field in request.fields where isSecret(field.name) {
            throw OutboxError(
                .secret,
                "Header field \(field.name) is a secret, which an outbox does not store; add it when the request is "
                    + "sent, by a layer such as `authorizing` or `modifyingRequests`.")
        }
        guard !redaction.redacted(request.url).contains(Redaction.placeholder) else {
            throw OutboxError(
                .secret,
                "URL has a secret query value or key, which an outbox does not store; add it when the request is sent, "
                    + "by a layer, or remove its name from `OutboxOptions.redaction`.")
        }
    }

    /// The fields of a response without secret ones.
    func publicFields(_ fields: HTTPFields) -> HTTPFields {
        var kept = fields
        for field in fields where isSecret(field.name) { kept.remove(field.name) }
        return kept
    }

    private func isSecret(_ name: HTTPFieldName) -> Bool { name != .idempotencyKey && redaction.isSecret(name.rawName) }
}
