import Foundation
import HTTPMessages
import Transport

/// The request that asks to switch protocols, and its response, over a connected socket (RFC 9112).
struct UpgradeExchange {
    let request: HTTPRequest
    let target: RequestTarget
    let protocolName: String
    /// The key of a WebSocket, which is another one for each connection; nil if the request has one.
    private let key: String?
    private var parser = ResponseHeadParser()
    private var received = ReceivedBytes()

    init(_ request: HTTPRequest, _ target: RequestTarget, protocolName: String) {
        self.request = request
        self.target = target
        self.protocolName = protocolName
        let needsKey = protocolName.lowercased() == "websocket" && request.fields[Self.keyField] == nil
        key = needsKey ? Data((0..<16).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedString() : nil
        parser.allowsSwitching = true
    }

    private static let keyField = "Sec-WebSocket-Key"
    private static let maximumLine = 300 << 10

    /// Sends the request and reads the response.
    /// - Returns: the response, and the bytes behind its head if the server has switched.
    mutating func run(over connection: CurlConnection) async throws -> (response: HTTPResponse, rest: Data) {
        try await connection.write(requestHead)
        while true {
            if let head = try readHead() {
                guard head.status.code != 101 else {
                    return (HTTPResponse(head: try checked(head)), received.read(atMost: .max))
                }
                return (HTTPResponse(head: head, body: try await readBody(head, connection)), Data())
            }
            guard let bytes = try await connection.read() else {
                throw error(.connectionLost, "Connection closed without a response: \(target.origin).")
            }
            received.append(bytes)
        }
    }

    private var requestHead: Data {
        let start = target.url.utf8.index(target.url.startIndex, offsetBy: target.origin.utf8.count)
        let path = target.url[start...].prefix { $0 != "#" }
        let authority = target.origin.drop { $0 != "/" }.dropFirst(2)
        var text = "\(request.method) \(path.hasPrefix("/") ? "" : "/")\(path) HTTP/1.1\r\nHost: \(authority)\r\n"
        text += "Connection: Upgrade\r\nUpgrade: \(protocolName)\r\n"
        if let key { text += "\(Self.keyField): \(key)\r\n" }
        // Credentials of a proxy must not reach the server (RFC 9110, section 11.7.2).
        for field in request.fields where field.name != .proxyAuthorization && field.name != .cookie {
            text += "\(field.name): \(field.value)\r\n"
        }
        let cookies = request.fields.values(of: .cookie)
        if !cookies.isEmpty { text += "Cookie: \(cookies.joined(separator: "; "))\r\n" }
        return Data((text + "\r\n").utf8)
    }

    // MARK: Response

    /// The head, once it is complete.
    private mutating func readHead() throws -> HTTPResponseHead? {
        while let line = received.readLine() {
            switch line.withUnsafeBytes({ parser.parse($0) }) {
            case .none, .trailer: continue
            case .invalid(let problem): throw error(.malformedResponse, "\(problem).")
            case .head:
                var head = HTTPResponseHead(status: parser.status, fields: parser.fields, url: request.url)
                head.method = request.method
                head.webSocketKey = key ?? request.fields[Self.keyField]
                return head
            }
        }
        guard received.count <= Self.maximumLine else {
            throw error(.malformedResponse, "Response head has no line break.")
        }
        return nil
    }

    private func checked(_ head: HTTPResponseHead) throws -> HTTPResponseHead {
        guard head.fields["Upgrade"]?.lowercased() == protocolName.lowercased() else {
            throw error(
                .malformedResponse, "Server switched to another protocol than \(protocolName.debugDescription).",
                head: head)
        }
        let options = head.fields["Connection"]?.lowercased().split(separator: ",") ?? []
        guard options.contains(where: { $0.trimmingCharacters(in: .whitespaces) == "upgrade" }) else {
            throw error(.malformedResponse, "Server switched without the field Connection: Upgrade.", head: head)
        }
        return head
    }

    private mutating func readBody(_ head: HTTPResponseHead, _ connection: CurlConnection) async throws -> Data {
        var body: RefusalBody
        switch BodyFraming(head.fields) {
        case .invalid(let problem): throw error(.malformedResponse, "\(problem).", head: head)
        case let framing: body = RefusalBody(hasBody: !head.status.forbidsContent, framing)
        }
        var bytes = received.read(atMost: .max)
        while true {
            do throws(RefusalBody.Invalid) { try body.append(bytes) } catch {
                throw self.error(.malformedResponse, "Response has an invalid chunk.", head: head)
            }
            guard body.bytes.count <= request.options.maximumResponseBytes else {
                throw TransportError.responseTooLarge(
                    limit: request.options.maximumResponseBytes, request: request, head: head, bodyPrefix: body.bytes)
            }
            guard !body.isComplete else { return body.bytes }
            guard let next = try await connection.read() else {
                guard body.endsWithConnection else {
                    throw error(.truncated, "Connection closed before the end of the body.", head: head)
                }
                return body.bytes
            }
            bytes = next
        }
    }

    private func error(_ code: TransportError.Code, _ message: String, head: HTTPResponseHead? = nil) -> TransportError
    { TransportError(code, message, request: request, head: head) }
}

extension HTTPStatus {
    fileprivate var forbidsContent: Bool { self == .noContent || self == .notModified }
}
