import HTTPMessages
import Transport

/// The conditions of a request, evaluated against a stored response (RFC 9110, section 13).
enum Preconditions {
    /// True if the request asks for a 304.
    static func areConditional(_ fields: HTTPFields) -> Bool {
        fields.contains(.ifNoneMatch) || fields.contains(.ifModifiedSince)
    }

    /// True for conditions that only the server can evaluate.
    static func needServer(_ fields: HTTPFields) -> Bool {
        fields.contains(.ifMatch) || fields.contains(.ifUnmodifiedSince)
    }

    /// True if a 304 is the response to a request for a stored response.
    static func areMet(by stored: HTTPFields, in request: HTTPFields) -> Bool {
        if let tags = request[.ifNoneMatch] {
            guard let own = stored[.etag] else { return false }
            return tags == "*" || EntityTags.contains(own, in: tags)
        }
        guard let limit = request[.ifModifiedSince].flatMap({ HTTPDate(strictly: $0) }),
            let modified = (stored[.lastModified] ?? stored[.date]).flatMap({ HTTPDate(strictly: $0) })
        else { return false }
        return modified <= limit
    }

    /// A request that asks whether a stored response is still valid; nil if that has no validator.
    static func validating(_ request: HTTPRequest, _ stored: HTTPFields) -> HTTPRequest? {
        let (tag, modified) = (stored[.etag], stored[.lastModified])
        guard tag != nil || modified != nil else { return nil }
        var request = request
        request.fields.remove(.ifNoneMatch)
        request.fields.remove(.ifModifiedSince)
        if let tag { request.fields[.ifNoneMatch] = tag }
        if let modified { request.fields[.ifModifiedSince] = modified }
        return request
    }

    /// False for a 304 with another validator than that of the stored response (RFC 9111, section 4.3.4).
    ///
    /// One without a validator is the response to those that were sent. Tags are compared weakly: a server that
    /// compresses weakens the tag of the response, but not that of the 304.
    static func isAbout(_ stored: HTTPFields, notModified new: HTTPFields) -> Bool {
        if let tag = new[.etag] { return stored[.etag].map { EntityTags.contains($0, in: tag) } ?? false }
        guard let modified = new[.lastModified], let known = stored[.lastModified] else { return true }
        return modified == known
    }

    /// True if a request with `If-Range` asks for a part of this response: only for its strong validator.
    static func permitRange(_ request: HTTPFields, of stored: HTTPResponseHead) -> Bool {
        guard let condition = request[.ifRange] else { return true }
        if let tag = stored.strongEntityTag { return tag == condition }
        // A date is strong if it is a minute older than the response (RFC 9110, section 8.8.2.2).
        guard let modified = stored.fields[.lastModified], modified == condition,
            let date = stored.fields[.date].flatMap({ HTTPDate(strictly: $0) }),
            let changed = HTTPDate(strictly: modified)
        else { return false }
        return date.seconds - changed.seconds >= 60
    }
}

/// Entity tags in a list (RFC 9110, section 8.8.3).
enum EntityTags {
    /// True if a list has a tag that equals another by the weak comparison.
    static func contains(_ tag: String, in list: String) -> Bool {
        let wanted = opaque(tag[...])
        return split(list).contains { opaque($0) == wanted }
    }

    /// The tags, at commas outside of quotes.
    private static func split(_ list: String) -> [Substring] {
        var (isQuoted, start, tags) = (false, list.utf8.startIndex, [Substring]())
        for index in list.utf8.indices {
            switch list.utf8[index] {
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: ",") where !isQuoted:
                tags.append(list[start..<index])
                start = list.utf8.index(after: index)
            default: break
            }
        }
        return tags + [list[start...]]
    }

    private static func opaque(_ tag: Substring) -> Substring {
        let bytes = tag.utf8.drop(while: \.isHTTPWhitespace)
        let end = bytes.lastIndex { !$0.isHTTPWhitespace }.map(bytes.index(after:)) ?? bytes.startIndex
        let trimmed = Substring(bytes[..<end])
        return trimmed.hasPrefix("W/") ? trimmed.dropFirst(2) : trimmed
    }
}
