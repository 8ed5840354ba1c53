public import HTTPMessages

/// Takes a body without a byte for nil, and leaves every other body to a decoder.
public struct OptionalResponseDecoder<Base: ResponseDecoder>: ResponseDecoder {
    private let base: Base

    /// A decoder over another.
    public init(_ base: Base) { self.base = base }

    /// Which responses are decoded: those that the decoder below accepts.
    public var validation: ResponseValidation { base.validation }

    /// The value, or nil when the body is empty.
    /// - Throws: what the decoder below throws.
    public func decode(_ response: HTTPResponse) throws -> Base.Output? {
        response.body.isEmpty ? nil : try base.decode(response)
    }
}

extension ResponseDecoder {
    /// This decoder, with nil for an empty body.
    public var orNil: OptionalResponseDecoder<Self> { OptionalResponseDecoder(self) }

    /// A decoder with nil for an empty body: `.optional(.json(Item.self))`.
    public static func optional<Base: ResponseDecoder>(_ base: Base) -> Self
    where Self == OptionalResponseDecoder<Base> {
        OptionalResponseDecoder(base)
    }
}
