import HTTPMessages
import Synchronization

/// Requests that depend on tags, and parts of tables.
extension HyperHiveService {
    /// Throws 416 for a part without bytes, and counts others.
    func checkRange(of response: Response) throws(Failure) {
        guard response.status == .partialContent, case .tables(let document) = response.content else { return }
        guard document.hasByteAtOffset else {
            throw Failure(.rangeNotSatisfiable, "X-Range begins at or after the end of the content")
        }
        state.withLock { $0.counts.ranges += 1 }
    }
}

extension HyperHiveService.Failure {
    /// A failed `If-Match`.
    static var changed: Self {
        Self(HTTPStatus(412) ?? .conflict, "If-Match has no tag of this content; load it again from the beginning")
    }
}

extension HTTPRequest {
    /// The first byte that `X-Range` asks for; nil without the field.
    func rangeOffset() throws(HyperHiveService.Failure) -> Int? {
        guard let text = fields["X-Range"] else { return nil }
        guard fields["If-Match"] != nil else {
            throw .badRequest("X-Range needs If-Match with the ETag of the content that it continues")
        }
        guard let range = RangeField(parsing: text), range.parts.count == 1, case .from(let offset) = range.parts[0]
        else {
            throw .badRequest("X-Range is \(text); only one open range such as bytes=123- is possible")
        }
        return Int(offset)
    }

    func matchesNone(_ tag: String) -> Bool {
        fields[.ifNoneMatch].map { ETagList($0).matches(tag) } ?? false
    }
}

extension HyperHiveService.Response {
    static func notModified(_ tag: String, _ counts: inout HyperHiveService.Counts) -> Self {
        counts.notModified += 1
        return Self(empty: .notModified).tagged(tag)
    }

    func tagged(_ tag: String) -> Self {
        var response = self
        response.fields["ETag"] = tag
        response.fields["Vary"] = "Accept, X-Delta"
        return response
    }

    /// The part of the document that `X-Range` asks for.
    func ranged(for request: HTTPRequest) throws(HyperHiveService.Failure) -> Self {
        guard let offset = try request.rangeOffset(), case .tables(var document) = content else { return self }
        document.offset = offset
        var response = self
        response.status = .partialContent
        response.content = .tables(document)
        response.fields["Content-Range"] = "bytes \(offset)-/*"
        return response
    }
}
