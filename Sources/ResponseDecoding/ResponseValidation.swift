public import HTTPMessages

/// Check of a response by status and media type.
///
/// ```swift
/// let validation = ResponseValidation.standard.accepting(.notModified).requiring(.json)
/// ```
public struct ResponseValidation: Hashable, Sendable {
    /// The accepted status codes.
    public var statuses: RangeSet<Int>
    /// The accepted media ranges, such as `application/json`, `text/*` or `*/*`; empty means any.
    public var mediaTypes: [MediaType]

    /// Creates a validation.
    public init(statuses: RangeSet<Int>, mediaTypes: [MediaType] = []) {
        self.statuses = statuses
        self.mediaTypes = mediaTypes
    }

    /// Creates a validation that accepts a range of status codes, with any media type.
    public init(statuses: Range<Int>) { self.init(statuses: RangeSet(statuses)) }

    /// Accepts 2xx, with any media type.
    public static let standard = ResponseValidation(statuses: 200..<300)
    /// Accepts everything.
    public static let none = ResponseValidation(statuses: 0..<1000)

    /// Returns this validation, also accepting the given statuses.
    public func accepting(_ statuses: HTTPStatus...) -> ResponseValidation {
        var changed = self
        for status in statuses { changed.statuses.insert(contentsOf: status.code..<(status.code + 1)) }
        return changed
    }

    /// Returns this validation, accepting only the given media types or ranges.
    public func requiring(_ mediaTypes: MediaType...) -> ResponseValidation {
        ResponseValidation(statuses: statuses, mediaTypes: mediaTypes)
    }

    /// Validates a response. The media type is not checked if the body is empty.
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
