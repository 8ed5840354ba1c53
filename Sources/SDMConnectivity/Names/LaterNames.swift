// The vendor's other names for its classes: those of its guide, and those of its SDK since version 3. `HTTPRequest` is
// a type of `HTTPMessages` too, so that the module `SDMConnectivityNames` has it.

/// The name of ``SDMHttpRequest`` in the vendor's guide.
public typealias SDMHTTPRequest = SDMHttpRequest
/// The later name of ``SDMHttpRequest``.
public typealias Request = SDMHttpRequest
/// The later name of ``SDMRequesting``.
public typealias Requesting = SDMRequesting
/// The later name of ``SDMRequestBuilder``.
public typealias RequestBuilder = SDMRequestBuilder
/// The later name of ``SUPRequest``.
public typealias ODPRequest = SUPRequest
/// The later name of ``SDMFormDataRequest``.
public typealias FormDataRequest = SDMFormDataRequest
/// The later name of ``SDMNetworkQueue``.
public typealias NetworkQueue = SDMNetworkQueue
/// The later name of ``SDMDownloadCache``.
public typealias DownloadCache = SDMDownloadCache
/// The later name of ``SDMHttpRequestDelegate``.
public typealias RequestDelegate = SDMHttpRequestDelegate
/// The later name of ``SDMProgressDelegate``.
public typealias ProgressDelegate = SDMProgressDelegate
/// The vendor's name of the protocol of caches. Its methods were others than those of ``DownloadCaching``.
public typealias SDMCacheDelegate = DownloadCaching
/// The later name of ``SDMCacheDelegate``.
public typealias CacheDelegate = DownloadCaching
/// The later name of ``SDMConnectivityException``.
public typealias ConnectivityException = SDMConnectivityException
