import StoreCore
import Transport

/// SQLite's primary result codes, for errors with the source `SQLite`.
enum SQLiteCode {
    static let busy = 5
    static let io = 10
    static let cannotOpen = 14

    static func number(of error: StoreError) -> Int {
        if let code = error.engineCode, code & 0xFF != 0 { return Int(code & 0xFF) }
        return switch error.code {
        case .busy: busy
        case .readOnly: 8
        case .interrupted: 9
        case .io: io
        case .corrupt: 11
        case .full: 13
        case .libraryMissing, .closed: cannotOpen
        case .tooLarge: 18
        case .constraint: 19
        case .misuse: 21
        case .invalidArgument: 25
        case .keyRequired, .wrongKey, .encryptionUnavailable: 26
        // Errors in statements, such as a missing table.
        default: 1
        }
    }
}
