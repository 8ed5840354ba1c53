import Foundation
import HTTPMessages

/// A message whose components are signed: a request, or a response with the request that it answers.
struct SignedMessage {
    private let request: HTTPRequest?
    private let response: HTTPResponseHead?

    init(_ request: HTTPRequest) { (self.request, response) = (request, nil) }

    init(_ response: HTTPResponseHead, to request: HTTPRequest?) { (self.request, self.response) = (request, response) }

    /// The signature base (RFC 9421, section 2.5): a line for each component, and the input of the signature.
    /// - Parameter input: the components and parameters, as `Signature-Input` has them.
    func base(_ components: [SignatureComponent], input: [UInt8]) throws(SigningError) -> [UInt8] {
        var base: [UInt8] = []
        base.reserveCapacity(256 + input.count)
        var index = PartIndex()
        for component in components {
            guard let identifier = component.identifier else {
                throw SigningError(
                    .invalidComponent, "A parameter of the component \(component.name) cannot be written.")
            }
            base += identifier.utf8
            base += ": ".utf8
            base += try value(of: component, &index).utf8
            base.append(UInt8(ascii: "\n"))
        }
        base += "\"@signature-params\": ".utf8
        base += input
        return base
    }

    /// The value of a component.
    /// - Throws: ``SigningError`` (`invalidComponent`).
    func value(of component: SignatureComponent) throws(SigningError) -> String {
        var index = PartIndex()
        return try value(of: component, &index)
    }

    private func value(
        of component: SignatureComponent, _ index: inout PartIndex
    ) throws(SigningError) -> String {
        let isOfRequest = component.parameters["req"] != nil
        guard !isOfRequest || response != nil else {
            throw fault(component, "a request has no other request; omit `req`")
        }
        if component.name.utf8.first == UInt8(ascii: "@") {
            return try derived(component, from: isOfRequest || response == nil ? request : nil, &index)
        }
        if isOfRequest, request == nil { throw fault(component, "the request of the response is not known") }
        let fields = isOfRequest ? request?.fields : response?.fields ?? request?.fields
        return try fieldValue(component, fields, &index)
    }

    private func fault(_ component: SignatureComponent, _ problem: String) -> SigningError {
        SigningError(.invalidComponent, "The component \(component) cannot be signed: \(problem).", request: request)
    }

    // MARK: Derived components (section 2.2)

    private func derived(
        _ component: SignatureComponent, from request: HTTPRequest?, _ index: inout PartIndex
    ) throws(SigningError) -> String {
        let name = component.name
        for parameter in component.parameters
        where parameter.key != "req" && !(name == "@query-param" && parameter.key == "name") {
            throw fault(component, "it has no parameter \(parameter.key)")
        }
        if name == "@status" {
            guard let response, component.parameters.isEmpty else { throw fault(component, "only a response has it") }
            return String(response.status.code)
        }
        guard let request else { throw fault(component, "a response has it only with `req` and the request") }
        if name == "@method" { return request.method.name }
        if name == "@query-param" { return try queryParameter(component, of: request, &index) }
        let url = URLReference(request.url.absoluteString[...])
        switch name {
        case "@target-uri":
            var target = url
            target.fragment = nil
            return target.text
        case "@authority": return request.origin.authority
        case "@scheme": return request.origin.scheme
        case "@request-target": return url.path.isEmpty ? "/" : url.path + (url.query.map { "?\($0)" } ?? "")
        case "@path": return url.path.isEmpty ? "/" : String(url.path)
        case "@query": return "?" + (url.query ?? "")
        default: throw fault(component, "it is not known")
        }
    }

    private func queryParameter(
        _ component: SignatureComponent, of request: HTTPRequest, _ index: inout PartIndex
    ) throws(SigningError) -> String {
        guard case .string(let name)? = component.parameters["name"] else { throw fault(component, "it has no name") }
        let parameters =
            index.parameters ?? PartIndex.parameters(of: URLReference(request.url.absoluteString[...]).query ?? "")
        index.parameters = parameters
        switch parameters[name] {
        case .value(let value)?: return value
        case .repeated?:
            throw fault(component, "the query has the parameter more than once; sign the whole query")
        case .notUTF8?: throw fault(component, "its value is not UTF-8; sign the whole query")
        case nil: throw fault(component, "the query does not have the parameter")
        }
    }

    // MARK: Fields (section 2.1)

    private func fieldValue(
        _ component: SignatureComponent, _ fields: HTTPFields?, _ index: inout PartIndex
    ) throws(SigningError) -> String {
        guard let name = try? HTTPFieldName(component.name) else {
            throw fault(component, "it is not the name of a field")
        }
        guard component.parameters["tr"] == nil else {
            throw fault(component, "trailers are not signed, since they arrive after the body; sign fields of the head")
        }
        let fieldKey = PartIndex.FieldKey(name: name, isOfRequest: component.parameters["req"] != nil)
        guard let field = index.fields[fieldKey] ?? fields?[name].map({ PartIndex.Field(text: $0) }) else {
            throw fault(component, "the message does not have the field")
        }
        index.fields[fieldKey] = field
        guard component.parameters["bs"] != nil || field.isSignable else {
            throw fault(component, "its value is not ASCII; sign its bytes (`bs`)")
        }
        if component.parameters.isEmpty { return field.text }
        for parameter in component.parameters where !["sf", "key", "bs", "req"].contains(parameter.key) {
            throw fault(component, "the parameter \(parameter.key) is not supported")
        }
        // A member has one form only, so `sf` adds nothing to `key`.
        let forms = ["bs", "key", "sf"].filter { component.parameters[$0] != nil }
        guard forms.first != "bs" || forms.count == 1 else {
            throw fault(component, "`bs` excludes `sf` and `key`")
        }
        do {
            switch forms.first {
            case "bs":
                return try StructuredList(
                    (fields?.values(of: name) ?? []).map { .value(.bytes(Data($0.utf8))) }
                ).text()
            case "key":
                let members = try field.members ?? StructuredDictionary(parsing: field.text)
                index.fields[fieldKey]?.members = members
                guard case .string(let key)? = component.parameters["key"], let member = members[key] else {
                    throw fault(component, "the field does not have the member")
                }
                return try StructuredList([member]).text()
            case "sf": return try Self.structured(field.text)
            default: return field.text
            }
        } catch let error as SigningError {
            throw error
        } catch {
            throw fault(component, "the field is not a structured one")
        }
    }

    /// The one form of a structured field. The message does not tell its type: a list is also the form of an item, and
    /// one that is a dictionary too, such as `a, b`, has the same form as that.
    private static func structured(_ text: String) throws(HTTPMessageError) -> String {
        if let list = try? StructuredList(parsing: text) { return try list.text() }
        return try StructuredDictionary(parsing: text).text()
    }
}

/// What components name parts of, parsed once for all of them: the head of a message may name many.
private struct PartIndex {
    enum Parameter {
        case value(String)
        case repeated
        case notUTF8
    }
    struct FieldKey: Hashable {
        let name: HTTPFieldName
        let isOfRequest: Bool
    }
    struct Field {
        /// The combined values.
        let text: String
        let isSignable: Bool
        /// The members, once a component names one.
        var members: StructuredDictionary?

        init(text: String) {
            self.text = text
            isSignable = text.utf8.allSatisfy(\.isSignable)
        }
    }

    /// The parameters of the query, by their encoded names; nil until a component names one.
    var parameters: [String: Parameter]?
    var fields: [FieldKey: Field] = [:]

    static func parameters(of query: Substring) -> [String: Parameter] {
        query.split(separator: "&").reduce(into: [:]) { parameters, pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = parts[0].utf8.percentDecoded(plusIsSpace: true).queryParameterEncoded
            let value = parts.count > 1 ? parts[1].utf8.percentDecoded(plusIsSpace: true) : []
            let isUTF8 = String(validating: value, as: UTF8.self) != nil
            parameters[name] =
                parameters[name] != nil ? .repeated : isUTF8 ? .value(value.queryParameterEncoded) : .notUTF8
        }
    }
}

extension UInt8 {
    /// Whether a line of the signature base may have the byte as it is (section 2.5): visible ASCII, spaces and tabs.
    fileprivate var isSignable: Bool { (0x20...0x7E).contains(self) || self == 0x09 }
}

extension Origin {
    /// The host and the port, unless it is the scheme's own.
    var authority: String { port == (isSecure ? "443" : "80") ? host : "\(host):\(port)" }
}
