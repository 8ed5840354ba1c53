public import Foundation
import HTTPMessages

/// What a signature says about itself (RFC 9421, section 2.3).
public struct SignatureParameters: Hashable, Sendable {
    /// The time of the signature, in whole seconds; nil omits it.
    public var created: Date?
    /// The time after which it is not valid; nil for no limit.
    public var expires: Date?
    /// A unique value, by which a server finds messages that were sent again.
    public var nonce: String?
    /// The name of the algorithm; usually omitted, as the key determines it.
    public var algorithm: String?
    /// The name of the key.
    public var keyID: String?
    /// The application that the signature is for.
    public var tag: String?

    /// Creates parameters.
    public init(
        created: Date? = nil, expires: Date? = nil, nonce: String? = nil, algorithm: String? = nil,
        keyID: String? = nil, tag: String? = nil
    ) {
        self.created = created
        self.expires = expires
        self.nonce = nonce
        self.algorithm = algorithm
        self.keyID = keyID
        self.tag = tag
    }

    /// Appends the parameters as those of an inner list, in the order of the examples of the RFC.
    func append(to bytes: inout [UInt8]) throws(SigningError) {
        for (name, date) in [("created", created), ("expires", expires)] {
            guard let date else { continue }
            let seconds = date.timeIntervalSince1970.rounded(.down)
            guard abs(seconds) < 1e15 else {
                throw SigningError(.invalidParameter, "The parameter \(name) of the signature is out of range.")
            }
            bytes += ";\(name)=\(Int64(seconds))".utf8
        }
        for (name, text) in [("keyid", keyID), ("nonce", nonce), ("alg", algorithm), ("tag", tag)] {
            guard let text else { continue }
            guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                throw SigningError(
                    .invalidParameter, "The parameter \(name) of the signature is not printable ASCII; use other text.")
            }
            bytes += ";\(name)=\(text.quotedString)".utf8
        }
    }

    /// Reads the parameters of an inner list.
    /// - Throws: ``SigningError`` (`malformedField`) for one of another type. Unknown ones are ignored.
    init(_ parameters: StructuredParameters) throws(SigningError) {
        self.init()
        for parameter in parameters {
            let (key, value) = (parameter.key, parameter.value)
            switch (key, value) {
            case ("created", .integer(let seconds)): created = Date(timeIntervalSince1970: TimeInterval(seconds))
            case ("expires", .integer(let seconds)): expires = Date(timeIntervalSince1970: TimeInterval(seconds))
            case ("nonce", .string(let text)): nonce = text
            case ("alg", .string(let text)): algorithm = text
            case ("keyid", .string(let text)): keyID = text
            case ("tag", .string(let text)): tag = text
            case ("created", _), ("expires", _), ("nonce", _), ("alg", _), ("keyid", _), ("tag", _):
                throw SigningError(.malformedField, "The parameter \(key) of Signature-Input has another type.")
            default: continue
            }
        }
    }
}
