import PatchbayErrors
import StoreCore

/// Why a database is not open.
struct ClosedDatabase: Sendable {
    /// The error of the last attempt to open it; nil without one.
    var failure: (any Error)?
    /// True when it was last opened with a key, also without success: it must not be created without one by itself.
    var needsKey = false

    /// The error of a call that needs it open.
    func error(of path: DatabasePath) -> StoreError {
        let reason =
            switch (failure, needsKey) {
            case (nil, false): ""
            case (nil, true): ", and was open with a key"
            case (let failure?, _):
                ", since opening it\(needsKey ? " with a key" : "") failed: "
                    + ((failure as? any PatchbayError)?.message ?? "see the error of that call.")
            }
        let end = failure == nil ? "; call" : " Call"
        return StoreError(.closed, "Database \(path.name) is not open\(reason)\(end) openBase(_:key:) first.")
    }
}
