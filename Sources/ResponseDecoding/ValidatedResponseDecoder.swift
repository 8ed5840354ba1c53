public import HTTPMessages

/// Decoder with its own validation.
public struct ValidatedResponseDecoder<Base: ResponseDecoder>: ResponseDecoder {
    private let base: Base
    /// The check before decoding.
    public let validation: ResponseValidation

    /// Creates a decoder that wraps another.
    public init(_ base: Base, by validation: ResponseValidation) {
        self.base = base
        self.validation = validation
    }

    /// Validates and decodes a response.
    /// - Throws: ``ResponseDecodingError`` (`unacceptableStatus`, `unacceptableMediaType`), or the error of the base
    ///   decoder.
    public func decode(_ response: HTTPResponse) throws -> Base.Output {
        try validation.validate(response)
        return try base.decode(response)
    }
}

extension ResponseDecoder {
    /// Returns this decoder with another validation.
    public func validated(by validation: ResponseValidation = .standard) -> ValidatedResponseDecoder<Self> {
        ValidatedResponseDecoder(self, by: validation)
    }

    /// Validates before decoding: `.validated(.json(Item.self))`.
    public static func validated<Base: ResponseDecoder>(
        _ base: Base, by validation: ResponseValidation = .standard
    ) -> Self where Self == ValidatedResponseDecoder<Base> {
        ValidatedResponseDecoder(base, by: validation)
    }
}
