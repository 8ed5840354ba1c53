import Foundation
public import HTTPMessages

/// Signs messages as RFC 9421 says, without sending them.
///
/// ```swift
/// let parameters = SignatureParameters(created: Date(), keyID: key.id)
/// try MessageSignature.sign(&request, with: key, components: [.method, .targetURI], parameters)
/// ```
public enum MessageSignature {
    /// Adds a signature to a request, beside those of other labels.
    ///
    /// The fields that it covers must be there: ``HTTPMessageSignature`` also adds `Content-Digest`.
    /// - Parameter label: the name of the signature in the message: lower-case letters, digits and `_-.*`.
    /// - Throws: ``SigningError`` (`invalidComponent`, `invalidParameter`, `malformedField`, `signing`).
    public static func sign(
        _ request: inout HTTPRequest, with key: SigningKey, components: [SignatureComponent],
        _ parameters: SignatureParameters, label: String = "sig1"
    ) throws(SigningError) {
        let message = SignedMessage(request)
        try add(message, to: &request.fields, key, components, parameters, label)
    }

    /// Adds a signature to a response, beside those of other labels.
    /// - Parameters:
    ///   - request: the request that it answers, for components ``SignatureComponent/ofRequest``.
    ///   - label: as for a request.
    /// - Throws: ``SigningError`` (`invalidComponent`, `invalidParameter`, `malformedField`, `signing`).
    public static func sign(
        _ response: inout HTTPResponseHead, to request: HTTPRequest? = nil, with key: SigningKey,
        components: [SignatureComponent], _ parameters: SignatureParameters, label: String = "sig1"
    ) throws(SigningError) {
        let message = SignedMessage(response, to: request)
        try add(message, to: &response.fields, key, components, parameters, label)
    }

    private static func add(
        _ message: SignedMessage, to fields: inout HTTPFields, _ key: SigningKey, _ components: [SignatureComponent],
        _ parameters: SignatureParameters, _ label: String
    ) throws(SigningError) {
        let input = try input(components, parameters)
        let signature = try key.signature(of: message.base(components, input: input))
        let text = ":\(Data(signature).base64EncodedString()):"
        try set(.signatureInput, label, to: String(decoding: input, as: UTF8.self), in: &fields)
        try set(.signature, label, to: text, in: &fields)
    }

    /// The components and parameters, as `Signature-Input` has them.
    static func input(
        _ components: [SignatureComponent], _ parameters: SignatureParameters
    ) throws(SigningError) -> [UInt8] {
        guard Set(components).count == components.count else {
            throw SigningError(.invalidComponent, "A component is in the list of components more than once.")
        }
        var input = [UInt8(ascii: "(")]
        input.reserveCapacity(256)
        for component in components {
            if input.count > 1 { input.append(UInt8(ascii: " ")) }
            input += component.description.utf8
        }
        input.append(UInt8(ascii: ")"))
        try parameters.append(to: &input)
        return input
    }

    /// Sets a member of a dictionary; the text of its value is valid.
    private static func set(
        _ name: HTTPFieldName, _ label: String, to text: String, in fields: inout HTTPFields
    ) throws(SigningError) {
        let value: String
        do {
            if let old = fields[name] {
                var dictionary = try StructuredDictionary(parsing: old)
                dictionary[label] = try StructuredDictionary(parsing: "\(label)=\(text)")[label]
                value = try dictionary.text()
            } else {
                value = "\(label)=\(text)"
            }
        } catch {
            throw SigningError(
                .malformedField, "The message has a malformed \(name); remove it before signing.", underlying: error)
        }
        guard isLabel(label), (try? fields.set(name, to: value)) != nil else {
            throw SigningError(
                .invalidParameter,
                "Invalid label of a signature: \(label.prefix(80).debugDescription); use lower-case letters and digits."
            )
        }
    }

    private static func isLabel(_ text: String) -> Bool {
        guard let first = text.utf8.first, (0x61...0x7A).contains(first) || first == UInt8(ascii: "*") else {
            return false
        }
        return text.utf8.allSatisfy {
            (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || "_-.*".utf8.contains($0)
        }
    }
}
