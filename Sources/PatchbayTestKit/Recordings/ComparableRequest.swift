import Foundation
import HTTPMessages
import RequestModel
import Transport

/// The parts of a request that rules compare, without secrets and in a normal form: equal for requests that match.
struct ComparableRequest: Hashable, Sendable {
    struct Pair: Hashable, Sendable {
        let name: String
        let value: String
    }

    enum Body: Hashable, Sendable {
        case json(JSONValue)
        case form([Pair])
        case text(String)
        case bytes(Data)
        /// A body that is not in memory.
        case length(Int64?)
    }

    let method: String
    /// Scheme, host and port.
    let origin: String
    let path: String
    let query: [Pair]
    private(set) var fields: [Pair]
    private(set) var body: Body?

    /// - Parameters:
    ///   - body: the bytes of the body, if they are known.
    ///   - ignored: the fields that are not compared, in lower case, beside those that start with `sec-`; nil means
    ///     that only those of the rules are compared.
    init(_ request: HTTPRequest, body: Data?, _ rules: RecordingRules, without ignored: Set<String>? = nil) throws {
        var request = request
        if let body, rules.normalize != nil { try request.setBody(.bytes(body)) }
        try rules.normalize?(&request)
        var known = body
        if case .bytes(let bytes) = request.shownBody.source { known = bytes }

        method = request.method.name
        let reference = URLReference(rules.redaction.redacted(request.url)[...])
        origin = "\(reference.scheme ?? "")://\(reference.authority ?? "")"
        path = String(reference.path)
        query =
            rules.comparesQuery
            ? Self.pairs(reference.query ?? "", isForm: false, without: rules.ignoredParameters) : []
        // Bodies are recorded, and compared, before their content coding.
        let names =
            ignored.map { ignored in
                Set(request.fields.map(\.name)).filter {
                    !ignored.contains($0.canonicalName) && !$0.canonicalName.hasPrefix("sec-")
                }
            } ?? rules.fields
        // A layer tells the field of a credential, which may have any name.
        let redaction = rules.redaction.adding(request.options.credentialFields)
        fields = names.subtracting([.contentEncoding]).sorted { $0.canonicalName < $1.canonicalName }.compactMap {
            name in
            request.fields[name].map {
                Pair(name: name.canonicalName, value: redaction.redacted($0, of: name))
            }
        }
        self.body = rules.comparesBody ? Body(known, of: request, rules) : nil
    }

    /// The request with placeholders where another one with these options has credentials.
    func hiding(_ options: RequestOptions) -> ComparableRequest {
        let secret = Set(options.credentialFields.map(\.canonicalName))
        var hidden = self
        hidden.fields = fields.map { secret.contains($0.name) ? Pair(name: $0.name, value: Redaction.placeholder) : $0 }
        if options.hasSecretBody, body != nil { hidden.body = .text(Redaction.placeholder) }
        return hidden
    }

    /// The pairs of a query or a form, sorted.
    fileprivate static func pairs(
        _ text: Substring, isForm: Bool, without ignored: Set<String>
    ) -> [Pair] {
        func decoded(_ part: Substring) -> String {
            guard isForm else { return part.comparableInQuery }
            let part = part.replacing("+", with: " ")
            return part.removingPercentEncoding ?? String(part)
        }
        let pairs = text.split(separator: "&").map { pair -> Pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return Pair(name: decoded(parts[0]), value: parts.count > 1 ? decoded(parts[1]) : "")
        }
        return pairs.filter { !ignored.contains($0.name) }.sorted { ($0.name, $0.value) < ($1.name, $1.value) }
    }
}

extension ComparableRequest.Body {
    fileprivate init?(_ bytes: Data?, of request: HTTPRequest, _ rules: RecordingRules) {
        guard let bytes else {
            if request.body.isEmpty { return nil }
            self = .length(request.body.length)
            return
        }
        // An empty body is as good as none: a recording does not tell them apart.
        guard !bytes.isEmpty else { return nil }
        // In place of one with credentials, of any type.
        guard bytes != Data(Redaction.placeholder.utf8) else {
            self = .text(Redaction.placeholder)
            return
        }
        let mediaType = request.fields[.contentType].flatMap { MediaType(parsing: $0) }
        // One that cannot be decoded is like no recorded one, of which the placeholder is left.
        let plain = request.fields.contentCoding.flatMap { bytes.decoded($0) } ?? bytes
        let body = rules.redaction.redacted(body: plain, as: mediaType)
        if let json = try? JSONValue(parsing: body, keepingLongNumbers: true),
            mediaType?.isJSON ?? true || json.isContainer
        {
            self = .json(json.without(rules.ignoredParameters))
        } else if let text = String(validating: body, as: UTF8.self) {
            if mediaType?.essence == "application/x-www-form-urlencoded" {
                self = .form(ComparableRequest.pairs(text[...], isForm: true, without: rules.ignoredParameters))
            } else if mediaType?.type == "multipart",
                let boundary = mediaType?.parameters.first(where: { $0.name == "boundary" })?.value, !boundary.isEmpty
            {
                self = .text(text.replacing(boundary, with: "boundary"))
            } else {
                self = .text(text)
            }
        } else {
            self = .bytes(body)
        }
    }
}

extension JSONValue {
    fileprivate var isContainer: Bool { array != nil || object != nil }

    /// The value without members of these names, at any depth.
    fileprivate func without(_ names: Set<String>) -> JSONValue {
        guard !names.isEmpty else { return self }
        switch self {
        case .array(let elements): return .array(elements.map { $0.without(names) })
        case .object(let members):
            return .object(members.filter { !names.contains($0.key) }.mapValues { $0.without(names) })
        default: return self
        }
    }
}
