public import Foundation
public import HTTPMessages

/// Verifies signatures of messages (RFC 9421, section 3.2), of requests in a server and of responses in a client.
///
/// ```swift
/// let verifier = MessageVerifier(requiring: [.status, .contentDigest]) { id in id == key.id ? key : nil }
/// try verifier.verify(response.head, to: request)
/// try response.verifyContentDigest()
/// ```
///
/// A signature of `content-digest` covers the body only together with a check of the digest.
public struct MessageVerifier: Sendable {
    /// The components that a signature has to cover; it may cover more.
    public var requiredComponents: Set<SignatureComponent>
    /// The label of the signature to verify; nil for any.
    public var label: String?
    /// The tag of the signature to verify; nil for any.
    public var tag: String?
    /// The most time since `created`; nil also accepts signatures without one. Default: 5 minutes.
    public var maximumAge: Duration?
    /// The difference of the clocks that is allowed; default: 1 minute.
    public var leeway: Duration = .seconds(60)
    private let now: @Sendable () -> Date
    private let key: @Sendable (_ id: String?) throws -> VerificationKey?

    /// Creates a verifier.
    /// - Parameters:
    ///   - components: the components that a signature has to cover.
    ///   - maximumAge: the most time since `created`.
    ///   - now: the time.
    ///   - key: the key of a `keyid`, which is nil if the signature has none; nil for an unknown one. The algorithm is
    ///     always that of the key.
    public init(
        requiring components: Set<SignatureComponent>, maximumAge: Duration? = .seconds(300),
        now: @escaping @Sendable () -> Date = { Date() },
        key: @escaping @Sendable (_ id: String?) throws -> VerificationKey?
    ) {
        requiredComponents = components
        self.maximumAge = maximumAge
        self.now = now
        self.key = key
    }

    /// Verifies a request.
    /// - Returns: the first signature that is valid and covers what is required.
    /// - Throws: ``SigningError`` (`missingSignature`, `malformedField`, `unknownKey`, `invalidSignature`,
    ///   `notCurrent`, `invalidComponent`) of the first candidate; the error of the key's closure.
    @discardableResult
    public func verify(_ request: HTTPRequest) throws -> VerifiedSignature {
        try verify(SignedMessage(request), request.fields)
    }

    /// Verifies a response.
    /// - Parameter request: the request that it answers, for components ``SignatureComponent/ofRequest``.
    /// - Throws: as for a request.
    @discardableResult
    public func verify(_ response: HTTPResponseHead, to request: HTTPRequest? = nil) throws -> VerifiedSignature {
        do {
            return try verify(SignedMessage(response, to: request), response.fields)
        } catch var error as SigningError {
            error.head = response
            throw error
        }
    }

    private func verify(_ message: SignedMessage, _ fields: HTTPFields) throws -> VerifiedSignature {
        let inputs = try dictionary(fields, .signatureInput)
        let signatures = try dictionary(fields, .signature)
        var first: (any Error)?
        for entry in inputs where label == nil || entry.key == label {
            do {
                if let verified = try verify(entry, signatures[entry.key], message) { return verified }
            } catch {
                first = first ?? error
            }
        }
        throw first
            ?? SigningError(
                .missingSignature,
                "The message has no signature\(label.map { " of the label \($0.debugDescription)" } ?? "")"
                    + "\(tag.map { " of the tag \($0.debugDescription)" } ?? "").")
    }

    private func dictionary(_ fields: HTTPFields, _ name: HTTPFieldName) throws(SigningError) -> StructuredDictionary {
        do {
            return try StructuredDictionary(parsing: fields[name] ?? "")
        } catch {
            throw SigningError(.malformedField, "\(name) is malformed.", underlying: error)
        }
    }

    /// - Returns: nil for a signature of another tag.
    private func verify(
        _ input: StructuredDictionary.Entry, _ signature: StructuredMember?, _ message: SignedMessage
    ) throws -> VerifiedSignature? {
        guard let list = input.value.innerList, case .bytes(let bytes)? = signature?.value else {
            throw SigningError(.malformedField, "Signature-Input or Signature is malformed.")
        }
        let components = list.items.compactMap { SignatureComponent($0) }
        guard components.count == list.items.count, Set(components).count == components.count else {
            throw SigningError(.malformedField, "Signature-Input names a component twice, or not by a string.")
        }
        let parameters = try SignatureParameters(list.parameters)
        if let tag, parameters.tag != tag { return nil }
        let missing = requiredComponents.subtracting(components)
        guard missing.isEmpty else {
            throw SigningError(
                .missingSignature,
                "The signature does not cover \(missing.map(\.description).sorted().joined(separator: ", ")).")
        }
        try checkTime(parameters)
        guard let key = try key(parameters.keyID) else {
            throw SigningError(.unknownKey, "The key of the signature is not known.")
        }
        guard parameters.algorithm == nil || parameters.algorithm == key.algorithm.rawValue else {
            throw SigningError(
                .invalidSignature, "The signature names another algorithm than \(key.algorithm.rawValue) of the key.")
        }
        let text = try StructuredList([.innerList(list)]).text()
        guard try key.isValid([UInt8](bytes), of: message.base(components, input: Array(text.utf8))) else {
            throw SigningError(
                .invalidSignature, "The signature is not valid: the message was changed, or signed with another key.")
        }
        return VerifiedSignature(label: input.key, components: components, parameters: parameters)
    }

    private func checkTime(_ parameters: SignatureParameters) throws(SigningError) {
        let (now, leeway) = (now(), leeway / .seconds(1))
        if let expires = parameters.expires, now.timeIntervalSince(expires) > leeway {
            throw SigningError(.notCurrent, "The signature has expired; compare the clocks of both sides.")
        }
        guard let created = parameters.created else {
            guard maximumAge == nil else {
                throw SigningError(.notCurrent, "The signature does not say when it was created.")
            }
            return
        }
        let age = now.timeIntervalSince(created)
        guard age >= -leeway else {
            throw SigningError(
                .notCurrent, "The signature was created in \(Int64(-age)) seconds; compare the clocks of both sides.")
        }
        if let maximumAge, age > maximumAge / .seconds(1) + leeway {
            throw SigningError(
                .notCurrent, "The signature is \(Int64(age)) seconds old; compare the clocks of both sides.")
        }
    }
}

/// A signature that is valid.
public struct VerifiedSignature: Hashable, Sendable {
    /// Its label in the message.
    public let label: String
    /// The components that it covers.
    public let components: [SignatureComponent]
    /// Its parameters.
    public let parameters: SignatureParameters
}
