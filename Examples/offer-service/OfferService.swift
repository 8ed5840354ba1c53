import Patchbay

/// What the service tells about an item.
struct Offer: Codable, Equatable, Sendable {
    var item: String
    var cents: Int
    /// Pieces in stock; nil if the stock service did not tell in time.
    var pieces: Int?
}

/// A service that makes an offer of what two others know. It is a transport, as everything that turns a request into a
/// response, so a queue can stand before it as well.
struct OfferService: Transport {
    private struct Price: Decodable, Sendable { var cents: Int }
    private struct Stock: Decodable, Sendable { var pieces: Int }

    let prices: APIClient
    let stock: APIClient

    func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        let path = request.url.pathComponents
        guard path.count == 3, path[1] == "offers" else { return HTTPResponse(status: .notFound, url: request.url) }
        guard request.method == .get else {
            return HTTPResponse(
                status: .methodNotAllowed, fields: try HTTPFields(["Allow": "GET"]), url: request.url)
        }
        let offer = try await offer(of: path[2], for: request)
        return try HTTPResponse(
            status: .ok, fields: HTTPFields(["Content-Type": "application/json"]),
            body: JSONCoding.standard.encode(offer), url: request.url)
    }

    private func offer(of item: String, for request: HTTPRequest) async throws -> Offer {
        // There is no offer without a price, but one without the stock: that call may use half of the time.
        async let pieces = pieces(of: item, for: request)
        let price: Price = try await prices.calls(for: request).get("prices/\(item)")
        return await Offer(item: item, cents: price.cents, pieces: pieces)
    }

    private func pieces(of item: String, for request: HTTPRequest) async -> Int? {
        let found: Stock? = try? await stock.calls(for: request, within: 0.5).get("stock/\(item)")
        return found?.pieces
    }
}

extension HTTPResponse {
    /// What a caller gets for an error: is it late or wrong, should it come back, or is a service behind it broken?
    init(failing request: HTTPRequest, with error: any Error) {
        var fields = HTTPFields()
        let status: HTTPStatus
        switch error {
        case let error as TransportError where error.code == .timedOut: status = .gatewayTimeout
        case let error as AdmissionError where error.code == .expired: status = .gatewayTimeout
        case let error as AdmissionError:
            status = .serviceUnavailable
            // Rounded up: 0 would bring all refused callers back at once, while one call tries the service.
            let wait = min(error.retryAfter ?? .seconds(1), .seconds(3600)) / .seconds(1)
            fields["Retry-After"] = "\(max(1, Int(wait.rounded(.up))))"
        // No request was made of what the caller sent, such as an item named "..".
        case is HTTPMessageError: status = .badRequest
        default: status = error.httpStatus == .notFound ? .notFound : .badGateway
        }
        self.init(status: status, fields: fields, url: request.url)
    }
}
