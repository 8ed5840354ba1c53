public import HTTPMessages
public import Transport

/// A step of a hedged call.
@nonexhaustive public enum HedgeEvent: DetailEvent {
    /// A further attempt starts, because no response has come.
    /// - `attempt`: its number, from 2.
    case started(attempt: Int)
    /// An attempt has the first acceptable response; the others are cancelled.
    case won(attempt: Int)

    /// A text for logs.
    public var description: String {
        switch self {
        case .started(let attempt): "hedge: attempt \(attempt) started"
        case .won(let attempt): "hedge: attempt \(attempt) had the first response"
        }
    }
}

extension AttemptReason {
    /// The response to an earlier attempt is late.
    public static let hedge = AttemptReason("hedge")
}
