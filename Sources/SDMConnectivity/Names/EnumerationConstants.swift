// The constants of the vendor's C enumerations, under their names. A name in two spellings is that of the headers
// before and since version 3.

// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// ``SDMRequestType`` under its C name.
public typealias RequestType = SDMRequestType
/// ``SDMRequestType`` under its C name.
public typealias ERequestType = SDMRequestType
/// ``SDMRequestType/sup``
public let SUPRequestType = SDMRequestType.sup
/// ``SDMRequestType/sup``
public let ODPRequestType = SDMRequestType.sup
/// ``SDMRequestType/http``
public let HTTPRequestType = SDMRequestType.http

/// ``SDMTraceLevel`` under its C name.
public typealias Level = SDMTraceLevel
/// ``SDMTraceLevel`` under its C name.
public typealias ETraceLevel = SDMTraceLevel
/// ``SDMTraceLevel`` under its C name.
public typealias TraceLevel = SDMTraceLevel
/// ``SDMTraceLevel`` under its C name.
public typealias E2ELevel = SDMTraceLevel
/// ``SDMTraceLevel`` under its C name.
public typealias E2ETraceLevel = SDMTraceLevel
/// ``SDMTraceLevel/low``
public let LOW = SDMTraceLevel.low
/// ``SDMTraceLevel/medium``
public let MEDIUM = SDMTraceLevel.medium
/// ``SDMTraceLevel/high``
public let HIGH = SDMTraceLevel.high
/// ``SDMTraceLevel/none``
public let NONE = SDMTraceLevel.none
/// ``SDMTraceLevel/low``
public let Low = SDMTraceLevel.low
/// ``SDMTraceLevel/medium``
public let Medium = SDMTraceLevel.medium
/// ``SDMTraceLevel/high``
public let High = SDMTraceLevel.high
/// ``SDMTraceLevel/none``
public let None = SDMTraceLevel.none
/// ``SDMTraceLevel/low``
public let E2ELOW = SDMTraceLevel.low
/// ``SDMTraceLevel/medium``
public let E2EMEDIUM = SDMTraceLevel.medium
/// ``SDMTraceLevel/high``
public let E2EHIGH = SDMTraceLevel.high
/// ``SDMTraceLevel/none``
public let E2ENONE = SDMTraceLevel.none

/// ``SDMEtagMatchType`` under its C name.
public typealias EtagMatchType = SDMEtagMatchType
/// ``SDMEtagMatchType`` under its C name.
public typealias EtagType = SDMEtagMatchType
/// ``SDMEtagMatchType/ifMatch``
public let EtagIfMatch = SDMEtagMatchType.ifMatch
/// ``SDMEtagMatchType/ifNoneMatch``
public let EtagIfNoneMatch = SDMEtagMatchType.ifNoneMatch
/// ``SDMEtagMatchType/ifRange``
public let EtagIfRange = SDMEtagMatchType.ifRange
/// ``SDMEtagMatchType/ifMatch``
public let IfMatch = SDMEtagMatchType.ifMatch
/// ``SDMEtagMatchType/ifNoneMatch``
public let IfNoneMatch = SDMEtagMatchType.ifNoneMatch
/// ``SDMEtagMatchType/ifRange``
public let IfRange = SDMEtagMatchType.ifRange

/// ``SDMCachePolicy`` under its C name.
public typealias CachePolicy = SDMCachePolicy
/// ``SDMCachePolicy`` under its C name.
public typealias ECachePolicy = SDMCachePolicy
/// ``SDMCachePolicy/default``
public let DefaultCachePolicy = SDMCachePolicy.`default`
/// ``SDMCachePolicy/ignore``
public let IgnoreCachePolicy = SDMCachePolicy.ignore
/// ``SDMCachePolicy/reloadIfDifferent``
public let ReloadIfDifferentCachePolicy = SDMCachePolicy.reloadIfDifferent
/// ``SDMCachePolicy/onlyLoadIfNotCached``
public let OnlyLoadIfNotCachedCachePolicy = SDMCachePolicy.onlyLoadIfNotCached
/// ``SDMCachePolicy/useCacheIfLoadFails``
public let UseCacheIfLoadFailsCachePolicy = SDMCachePolicy.useCacheIfLoadFails
/// ``SDMCachePolicy/default``
public let Default_CachePolicy = SDMCachePolicy.`default`
/// ``SDMCachePolicy/ignore``
public let Ignore_CachePolicy = SDMCachePolicy.ignore
/// ``SDMCachePolicy/reloadIfDifferent``
public let ReloadIfDifferent_CachePolicy = SDMCachePolicy.reloadIfDifferent
/// ``SDMCachePolicy/onlyLoadIfNotCached``
public let OnlyLoadIfNotCached_CachePolicy = SDMCachePolicy.onlyLoadIfNotCached
/// ``SDMCachePolicy/useCacheIfLoadFails``
public let UseCacheIfLoadFails_CachePolicy = SDMCachePolicy.useCacheIfLoadFails

/// ``SDMCacheStoragePolicy`` under its C name.
public typealias CacheStoragePolicy = SDMCacheStoragePolicy
/// ``SDMCacheStoragePolicy`` under its C name.
public typealias ECacheStoragePolicy = SDMCacheStoragePolicy
/// ``SDMCacheStoragePolicy/session``
public let CacheForSessionDurationCacheStoragePolicy = SDMCacheStoragePolicy.session
/// ``SDMCacheStoragePolicy/permanent``
public let CachePermanentlyCacheStoragePolicy = SDMCacheStoragePolicy.permanent
/// ``SDMCacheStoragePolicy/session``
public let CacheForSessionDuration_CacheStoragePolicy = SDMCacheStoragePolicy.session
/// ``SDMCacheStoragePolicy/permanent``
public let CachePermanently_CacheStoragePolicy = SDMCacheStoragePolicy.permanent

/// ``SDMPostFormat`` under its C name.
public typealias PostFormat = SDMPostFormat
/// ``SDMPostFormat`` under its C name.
public typealias EPostFormat = SDMPostFormat
/// ``SDMPostFormat/multipart``
public let MultipartFormDataPostFormat = SDMPostFormat.multipart
/// ``SDMPostFormat/urlEncoded``
public let URLEncodedPostFormat = SDMPostFormat.urlEncoded
/// ``SDMPostFormat/multipart``
public let MultipartFormData_PostFormat = SDMPostFormat.multipart
/// ``SDMPostFormat/urlEncoded``
public let URLEncoded_PostFormat = SDMPostFormat.urlEncoded

/// ``ConnectivitySettings/AuthenticationType`` under its C name.
public typealias AuthenticationType = ConnectivitySettings.AuthenticationType
/// ``ConnectivitySettings/AuthenticationType/usernamePassword``
public let UsernamePasswordAuthenticationType = ConnectivitySettings.AuthenticationType.usernamePassword
/// ``ConnectivitySettings/AuthenticationType/portal``
public let PortalAuthenticationType = ConnectivitySettings.AuthenticationType.portal
/// ``ConnectivitySettings/AuthenticationType/certificate``
public let CertificateAuthenticationType = ConnectivitySettings.AuthenticationType.certificate
/// ``ConnectivitySettings/AuthenticationType/formsBasedSAML``
public let FormsBasedSAMLAuthenticationType = ConnectivitySettings.AuthenticationType.formsBasedSAML
