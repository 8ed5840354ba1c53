import StoreCore
import Synchronization
import SystemLibraries

/// C callbacks of SQL functions for one of up to four SQLite libraries of the process.
///
/// SQLite passes them a context alone. Its own `sqlite3_user_data` returns the data of the function, but a C callback
/// cannot capture which library's that is, so each library has its own callbacks.
struct FunctionCallbacks {
    let call: SQLiteCallbackFunctions.Call
    let step: SQLiteCallbackFunctions.Call
    let end: SQLiteCallbackFunctions.Final

    private static let all: [FunctionCallbacks] = [
        FunctionCallbacks(
            call: { first.call($0, $1, $2) }, step: { first.step($0, $1, $2) }, end: { first.end($0) }),
        FunctionCallbacks(
            call: { second.call($0, $1, $2) }, step: { second.step($0, $1, $2) }, end: { second.end($0) }),
        FunctionCallbacks(
            call: { third.call($0, $1, $2) }, step: { third.step($0, $1, $2) }, end: { third.end($0) }),
        FunctionCallbacks(
            call: { fourth.call($0, $1, $2) }, step: { fourth.step($0, $1, $2) }, end: { fourth.end($0) }),
    ]

    private static let first = Library()
    private static let second = Library()
    private static let third = Library()
    private static let fourth = Library()

    /// The callbacks of a library; always the same ones.
    /// - Throws: `StoreError` (`unsupportedSQL`) for a fifth library.
    static func callbacks(of functions: SQLiteCallbackFunctions) throws(StoreError) -> FunctionCallbacks {
        for (library, callbacks) in zip([first, second, third, fourth], all) where library.isClaimed(by: functions) {
            return callbacks
        }
        throw StoreError(
            .unsupportedSQL,
            "Too many SQLite libraries with functions of the app in this process (limit 4); use fewer libraries.",
            feature: "CREATE FUNCTION")
    }

    /// Claim of a set of callbacks for the library with this `sqlite3_user_data`.
    private final class Library: Sendable {
        private let address = Atomic<UInt>(0)

        /// Claims it if it is free.
        /// - Returns: true when it is that library's.
        func isClaimed(by functions: SQLiteCallbackFunctions) -> Bool {
            let own = unsafeBitCast(functions.userData, to: UInt.self)
            let (isExchanged, current) = address.compareExchange(
                expected: 0, desired: own, ordering: .acquiringAndReleasing)
            return isExchanged || current == own
        }

        private func registration(_ context: OpaquePointer?) -> FunctionRegistration? {
            let address = address.load(ordering: .acquiring)
            let userData = unsafeBitCast(address, to: SQLiteCallbackFunctions.UserData.self)
            return userData(context).map { Unmanaged<FunctionRegistration>.fromOpaque($0).takeUnretainedValue() }
        }

        func call(_ context: OpaquePointer?, _ count: CInt, _ arguments: UnsafeMutablePointer<OpaquePointer?>?) {
            registration(context)?.call(context, UnsafeBufferPointer(start: arguments, count: Int(count)))
        }

        func step(_ context: OpaquePointer?, _ count: CInt, _ arguments: UnsafeMutablePointer<OpaquePointer?>?) {
            registration(context)?.step(context, UnsafeBufferPointer(start: arguments, count: Int(count)))
        }

        func end(_ context: OpaquePointer?) { registration(context)?.end(context) }
    }
}
