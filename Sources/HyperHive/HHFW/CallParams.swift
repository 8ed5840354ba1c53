/// Parameters of a call. They are copied when the call begins.
///
/// An instance is for one thread at a time. The initializers never fail; they are as Swift imports the vendor's.
public class HHFWCallParams {
    /// Parameters of the resource: text of a JSON object; nil for none. A `web` call sends it unchanged.
    ///
    /// Each text has tables of its own, so the same parameters need the same text.
    public var data: String?
    /// Additional header fields; default none.
    public var headers: [String: String]?
    /// Query parameters of the URL; default none.
    public var args: [String: String]?
    /// Path of the target database, in any spelling of ``HHFWController/openBase(_:key:)``; default nil.
    public var dataBasePath: String?
    /// Maximum number of retries; default 0, or that of ``HHFWController/setRetryCount(_:)``.
    public var retryCount = 0 { didSet { hasRetryCount = true } }
    /// Seconds before each retry; default 0, or those of ``HHFWController/setRetryIntervalSec(_:)``.
    public var retryIntervalSec = 0 { didSet { hasRetryInterval = true } }

    private var hasRetryCount = false
    private var hasRetryInterval = false

    /// Parameters with default values, without a database.
    public init() {}

    /// Parameters with default values, without a database.
    public init!(defaultProperty: Void) {}

    /// Parameters with default values, for the database ``HyperHive/defaultDatabase``.
    public init!(defaultDb: Void) { dataBasePath = HyperHive.defaultDatabase }

    /// The values now.
    /// - Parameter transactionID: nil or empty for none.
    func options(transactionID: String? = nil) -> HyperHiveCallOptions {
        HyperHiveCallOptions(
            headers: headers ?? [:], query: args ?? [:], transactionID: transactionID.nonEmpty,
            retryCount: hasRetryCount ? retryCount : nil,
            retryInterval: hasRetryInterval ? .seconds(retryIntervalSec) : nil)
    }
}

/// Parameters of ``HHFWController/deltaStream(_:deltaStreamCallParams:handler:)``.
public final class DeltaStreamCallParams: HHFWCallParams {}

/// Parameters of ``HHFWController/table(_:transactionID:tableCallParams:handler:)``; no database is used.
public final class TableCallParams: HHFWCallParams {}

/// Parameters of ``HHFWController/tableStream(_:transactionID:requestCallParams:handler:)`` and
/// ``HHFWController/request(_:requestCallParams:handler:)``.
public final class RequestCallParams: HHFWCallParams {}

/// Parameters of ``HHFWController/web(_:webCallParams:handler:)``; no database is used.
public final class WebCallParams: HHFWCallParams {}

extension String? {
    /// Nil for an empty string.
    var nonEmpty: String? { flatMap { $0.isEmpty ? nil : $0 } }
}
