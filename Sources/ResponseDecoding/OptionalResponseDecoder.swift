public import HTTPMessages

/// Decoder that returns nil for an empty body.
public struct OptionalResponseDecoder<Base: ResponseDecoder>: ResponseDecoder {
    private let base: Base

    /// Creates a decoder that wraps another.
    public init(_ base: Base) { self.base = base }

    /// The validation of the base decoder.
    public var validation: ResponseValidation { base.validation }

    /// Decodes the body; nil if it is empty.
    /// - Throws: the error of the base decoder.
    public func decode(_ response: HTTPResponse) throws -> Base.Output? {
        response.body.isEmpty ? nil : try base.decode(response)
    }
}

extension ResponseDecoder {
    /// Returns nil for an empty body, otherwise the value of this decoder.
    public var orNil: OptionalResponseDecoder<Self> { OptionalResponseDecoder(self) }

    /// Returns nil for an empty body: `.optional(.json(Item.self))`.
    public static func optional<Base: ResponseDecoder>(_ base: Base) -> Self
    where Self == OptionalResponseDecoder<Base> {
        OptionalResponseDecoder(base)
    }
}
