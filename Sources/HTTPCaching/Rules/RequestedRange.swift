import HTTPMessages

/// What a request asks for of a body.
enum RequestedRange: Hashable, Sendable {
    case whole
    case part(RangeField.Part)
    /// Several parts, another unit, or a malformed field: only the server can answer it.
    case unsupported

    init(_ fields: HTTPFields) {
        guard let text = fields[.range] else {
            self = .whole
            return
        }
        guard let field = RangeField(parsing: text), field.parts.count == 1 else {
            self = .unsupported
            return
        }
        self = .part(field.parts[0])
    }

    /// What a stored response contributes to the response.
    enum Content: Hashable, Sendable {
        case whole
        case part(Range<Int64>)
        /// The whole, since `If-Range` names another representation.
        case wholeInPlaceOfPart
    }

    /// What a stored response contributes; nil if a part that is asked for is not stored.
    func content(of stored: StoredResponse, for request: HTTPRequest) -> Content? {
        switch self {
        case .unsupported: return nil
        case .whole: return stored.body.isComplete ? .whole : nil
        case .part(let part):
            // A range is about a successful response only.
            guard stored.status == .ok || stored.status == .partialContent else {
                return stored.body.isComplete ? .whole : nil
            }
            guard Preconditions.permitRange(request.fields, of: stored.head(for: request)) else {
                return stored.body.isComplete ? .wholeInPlaceOfPart : nil
            }
            let range: Range<Int64>? =
                switch (part, stored.body.length) {
                case (_, let length?): part.range(inLength: length)
                case (.closed(let closed), nil): closed.lowerBound..<(closed.upperBound + 1)
                default: nil
                }
            guard let range, stored.body.slice(range) != nil else { return nil }
            return .part(range)
        }
    }
}
