public import HTTPMessages

/// Which responses count as a success: by status, and by the media type of the body.
///
/// ```swift
/// let validation = ResponseValidation.standard.accepting(.notModified).requiring(.json)
/// ```
public struct ResponseValidation: Hashable, Sendable {
    /// The accepted status codes.
    public var statuses: RangeSet<Int>
    /// The accepted media types, as ranges such as `application/json`, `text/*` or `*/*`; none means any.
    public var mediaTypes: [MediaType]

    /// A check of these parts.
    public init(statuses: RangeSet<Int>, mediaTypes: [MediaType] = []) {
        self.statuses = statuses
        self.mediaTypes = mediaTypes
    }

    /// Accepts the status codes of a range, and any media type.
    public init(statuses: Range<Int>) { self.init(statuses: RangeSet(statuses)) }

    /// Accepts 2xx, with any media type.
    public static let standard = ResponseValidation(statuses: 200..<300)
    /// Accepts everything.
    public static let none = ResponseValidation(statuses: 0..<1000)

    /// This check, passed by these statuses too.
    public func accepting(_ statuses: HTTPStatus...) -> ResponseValidation {
        var changed = self
        for status in statuses { changed.statuses.insert(contentsOf: status.code..<(status.code + 1)) }
        return changed
    }

    /// This check, passed only by bodies of these media types or ranges of them.
    public func requiring(_ mediaTypes: MediaType...) -> ResponseValidation {
        ResponseValidation(statuses: statuses, mediaTypes: mediaTypes)
    }

    /// Checks a response. The media type of a body without a byte does not count.
    /// - Throws: ``ResponseDecodingError`` (`unacceptableStatus`, `unacceptableMediaType`).
    public func validate(_ response: HTTPResponse) throws(ResponseDecodingError) {
        guard statuses.contains(response.status.code) else {
            throw ResponseDecodingError(unacceptable: response)
        }
        guard !mediaTypes.isEmpty, !response.body.isEmpty else { return }
        let mediaType = response.mediaType
        guard mediaTypes.contains(where: { mediaType?.matches($0) ?? false }) else {
            let wanted = mediaTypes.map(\.essence).joined(separator: ", ")
            let found = (mediaType?.essence.prefix(80)).map(String.init) ?? "missing or malformed"
            throw ResponseDecodingError(
                .unacceptableMediaType, "Content-Type is \(found); expected \(wanted).", response: response)
        }
    }
}
