import HTTPMessages

/// A part of a request that differs from the recorded one. Its texts contain no secrets.
public struct RequestDifference: Hashable, Sendable, CustomStringConvertible {
    /// A part of a request.
    @nonexhaustive public enum Part: Hashable, Sendable {
        /// The method.
        case method
        /// Scheme, host and port.
        case origin
        /// The path.
        case path
        /// A parameter of the query.
        case parameter(String)
        /// A header field.
        case field(String)
        /// The body, or a value in it such as `items[0].name`.
        case body(String?)
    }

    /// The part.
    public let part: Part
    /// The recorded value; nil if the part is not in the recorded request.
    public let recorded: String?
    /// The value of the request that was sent; nil if the part is not in it.
    public let sent: String?

    init(_ part: Part, recorded: String?, sent: String?) {
        self.part = part
        self.recorded = recorded.map(Self.cut)
        self.sent = sent.map(Self.cut)
    }

    private static func cut(_ text: String) -> String { text.count > 200 ? text.prefix(200) + "…" : text }

    /// The part and both values.
    public var description: String {
        let name =
            switch part {
            case .method: "method"
            case .origin: "origin"
            case .path: "path"
            case .parameter(let name): "query parameter `\(name)`"
            case .field(let name): "field `\(name)`"
            case .body(let place): place.map { "body at `\($0)`" } ?? "body"
            }
        return "\(name): recorded \(recorded ?? "none"), sent \(sent ?? "none")"
    }
}

extension ComparableRequest {
    /// The parts of a sent request that differ from this recorded one.
    func differences(from sent: ComparableRequest) -> [RequestDifference] {
        var found: [RequestDifference] = []
        if method != sent.method { found.append(RequestDifference(.method, recorded: method, sent: sent.method)) }
        if origin != sent.origin { found.append(RequestDifference(.origin, recorded: origin, sent: sent.origin)) }
        if path != sent.path { found.append(RequestDifference(.path, recorded: path, sent: sent.path)) }
        found += Self.differences(query, sent.query) { .parameter($0) }
        found += Self.differences(fields, sent.fields) { .field($0) }
        guard body != sent.body else { return found }
        switch (body, sent.body) {
        case (.json(let recorded), .json(let sent)): recorded.appendDifferences(from: sent, at: "", to: &found)
        case (.form(let recorded), .form(let sent)): found += Self.differences(recorded, sent) { .body($0) }
        default:
            found.append(RequestDifference(.body(nil), recorded: body?.text, sent: sent.body?.text))
        }
        return found
    }

    /// How far a sent request is from this one: the parts that say what is asked weigh more.
    func distance(from sent: ComparableRequest) -> Int {
        differences(from: sent).reduce(0) { sum, difference in
            switch difference.part {
            case .origin: sum + 200
            case .path: sum + 20 + Self.segmentDistance(path, sent.path) * 20
            case .method: sum + 50
            default: sum + 1
            }
        }
    }

    private static func segmentDistance(_ left: String, _ right: String) -> Int {
        let (left, right) = (left.split(separator: "/"), right.split(separator: "/"))
        return abs(left.count - right.count) + zip(left, right).count { $0 != $1 }
    }

    private static func differences(
        _ recorded: [Pair], _ sent: [Pair], _ part: (String) -> RequestDifference.Part
    ) -> [RequestDifference] {
        let (old, new) = (Dictionary(grouping: recorded, by: \.name), Dictionary(grouping: sent, by: \.name))
        return Set(old.keys).union(new.keys).sorted().compactMap { name in
            let values = (old[name]?.map(\.value), new[name]?.map(\.value))
            guard values.0 != values.1 else { return nil }
            return RequestDifference(
                part(name), recorded: values.0?.joined(separator: ", "), sent: values.1?.joined(separator: ", "))
        }
    }
}

extension ComparableRequest.Body {
    fileprivate var text: String {
        switch self {
        case .json(let value): value.description
        case .form(let pairs): pairs.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        case .text(let text): text
        case .bytes(let data):
            "\(data.count) bytes, \(data.prefix(16).map { String($0, radix: 16) }.joined(separator: " "))"
        case .length(let length): length.map { "\($0) bytes" } ?? "a stream"
        }
    }
}

extension JSONValue {
    /// Up to 20 differences of a sent value.
    fileprivate func appendDifferences(from sent: JSONValue, at path: String, to found: inout [RequestDifference]) {
        guard self != sent, found.count < 20 else { return }
        if let old = object, let new = sent.object {
            for name in Set(old.keys).union(new.keys).sorted() {
                let place = path.isEmpty ? name : "\(path).\(name)"
                if let value = old[name], let other = new[name] {
                    value.appendDifferences(from: other, at: place, to: &found)
                } else {
                    found.append(
                        RequestDifference(.body(place), recorded: old[name]?.description, sent: new[name]?.description))
                }
            }
        } else if let old = array, let new = sent.array, old.count == new.count {
            for (index, pair) in zip(old, new).enumerated() {
                pair.0.appendDifferences(from: pair.1, at: "\(path)[\(index)]", to: &found)
            }
        } else {
            found.append(
                RequestDifference(.body(path.isEmpty ? nil : path), recorded: description, sent: sent.description))
        }
    }
}
