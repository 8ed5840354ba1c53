// The vendor's constants, under their names. Their header gives no numbers: these are those of ASIHTTPRequest, from
// which the vendor's library is derived.

// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// Maximum number of concurrent requests.
public let MAX_CONCURRENT_THREADS = 5
/// Interval in seconds at which the vendor's library checked for timeouts; not used here.
public let REQUEST_CHECK_INTERVAL_SECONDS = 0.25
/// Seconds for which an idle connection is kept, unless the server says otherwise.
public let DEFAULT_PERSISTENT_CONNECTION_TIMEOUT_SECONDS = 60.0
/// Default timeout in seconds.
public let DEFAULT_CONNECTION_TIMEOUT_SECONDS = 10.0
/// Maximum number of redirects of a request.
public let REDIRECTION_LIMIT = 5
/// Maximum number of attempts with credentials after a 401, and the same after a 407; the vendor's number is not known.
public let AUTHENTICATION_RETRY_COUNT = 10
/// Bytes per second of ``SDMHttpRequest/setShouldThrottleBandwidthForWWAN(_:)``.
public let WWANBandwidthThrottleAmount = 14800

/// `GET`
public let HTTP_METHOD_GET = "GET"
/// `POST`
public let HTTP_METHOD_POST = "POST"
/// `PUT`
public let HTTP_METHOD_PUT = "PUT"
/// `DELETE`
public let HTTP_METHOD_DELETE = "DELETE"
/// `HEAD`
public let HTTP_METHOD_HEAD = "HEAD"

/// The key under which the request type is stored in `UserDefaults`.
public let SDMConnectivityRequestTypeKey = "SDMConnectivityRequestTypeKey"
/// The same key, under its name since version 3 of the vendor's SDK.
public let ConnectivityRequestTypeKey = SDMConnectivityRequestTypeKey

// The names of the vendor's exceptions, see `SDMConnectivityException.name`.

/// The name of ``SDMConnectivityException`` (`threadCountTooHigh`).
public let ThreadCountTooHigh = "ThreadCountTooHigh"
/// The name of ``SDMConnectivityException`` (`invalidRequestType`).
public let InvalidRequestType = "InvalidRequestType"
/// The name of ``SDMConnectivityException`` (`sapPassportFailure`).
public let SAPPassportFailure = "SAPPassportFailure"
/// The name of ``SDMConnectivityException`` (`requestInitError`).
public let RequestInitError = "RequestInitError"
/// The name of ``SDMConnectivityException`` (`supRequestInitError`).
public let SUPRequestInitError = "SUPRequestInitError"
