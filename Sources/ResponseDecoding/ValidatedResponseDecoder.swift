public import HTTPMessages

/// Checks a response before it is decoded.
public struct ValidatedResponseDecoder<Base: ResponseDecoder>: ResponseDecoder {
    private let base: Base
    /// Which responses are decoded.
    public let validation: ResponseValidation

    /// A decoder over another.
    public init(_ base: Base, by validation: ResponseValidation) {
        self.base = base
        self.validation = validation
    }

    /// The value of a response that passes.
    /// - Throws: ``ResponseDecodingError`` (`unacceptableStatus`, `unacceptableMediaType`), or what the decoder below
    ///   throws.
    public func decode(_ response: HTTPResponse) throws -> Base.Output {
        try validation.validate(response)
        return try base.decode(response)
    }
}

extension ResponseDecoder {
    /// This decoder, for responses that pass a check.
    public func validated(by validation: ResponseValidation = .standard) -> ValidatedResponseDecoder<Self> {
        ValidatedResponseDecoder(self, by: validation)
    }

    /// A decoder for responses that pass a check: `.validated(.json(Item.self))`.
    public static func validated<Base: ResponseDecoder>(
        _ base: Base, by validation: ResponseValidation = .standard
    ) -> Self where Self == ValidatedResponseDecoder<Base> {
        ValidatedResponseDecoder(base, by: validation)
    }
}
