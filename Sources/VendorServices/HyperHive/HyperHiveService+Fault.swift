public import HTTPMessages
public import PatchbayTestKit

extension HyperHiveService {
    /// A failure of one request that a test chooses. `Fault` of the test kit breaks the connection itself.
    public enum EndpointFault: Sendable {
        /// An error of this status, without any effect of the request.
        case status(HTTPStatus)
        /// The request's token is invalid from now on: 401.
        case expiredToken
        /// The request has its effect, but the connection is closed before the first byte of the response.
        case lost
        /// The connection is closed after this number of bytes of the body; a shorter body is sent whole.
        case cut(afterBytes: Int)
        /// The response ends early without a sign of it: a whole message with this number of bytes of the body.
        case truncated(toBytes: Int)
        /// The rest of the response is sent when the gate opens: all of it, or what follows these bytes of the body.
        case hold(Gate, afterBytes: Int? = nil)
        /// The first version in `Content-Version` differs by this number from the response's.
        case wrongBase(by: Int)
        /// A table is not as the schema says.
        case table(String, TableFault)
    }

    /// A table that is not as the schema says.
    public enum TableFault: Hashable, Sendable {
        /// It is missing.
        case missing
        /// It has another name.
        case renamed(String)
        /// Each row has a cell too many.
        case extraCell
    }

    /// A response and how it is sent.
    struct Delivery {
        enum Interruption {
            /// Closes the connection; nil for before the head.
            case close(afterBytes: Int?)
            /// Waits; nil for before the head.
            case wait(Gate, afterBytes: Int?)
        }

        var response: Response
        /// The request, if a repeat after a lost response is refused.
        var guarded: CallIdentity?
        var interruption: Interruption?
    }
}

extension HyperHiveService.Delivery {
    mutating func apply(_ fault: HyperHiveService.EndpointFault) {
        switch fault {
        case .status, .expiredToken: break
        case .lost: interruption = .close(afterBytes: nil)
        case .cut(let count): interruption = .close(afterBytes: max(0, count))
        case .hold(let gate, let count): interruption = .wait(gate, afterBytes: count.map { max(0, $0) })
        case .truncated(let count): response.content.truncate(to: max(0, count))
        case .wrongBase(let difference): response.version?.base += difference
        case .table(let name, let fault): response.content.damage(name, fault)
        }
    }
}
