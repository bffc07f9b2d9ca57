#include "engine/remote/stores.hpp"

#include <utility>

#include "assetc/base/hash.hpp"
#include "base/absolute_path.hpp"
#include "base/text_file.hpp"
#include "engine/remote/key_files.hpp"

namespace assetc::engine {
namespace {

constexpr std::string_view kOff = "off";
constexpr const char* kSharesNothing = "this build does not share outputs with other builds";
constexpr const char* kOtherFolder = "set cache.path or ASSETC_CACHE to another folder, or to off";

// Empty if the user has none. XDG Base Directory Specification: a relative path counts as unset.
std::string users_folder(const Environment& environment, const char* variable, std::string_view below_home) {
  if (const std::string folder = environment(variable).value_or(""); is_absolute_path(folder))
    return folder + "/assetc";
  const std::string home = environment("HOME").value_or("");
  return is_absolute_path(home) ? home + std::string(below_home) + "/assetc" : std::string();
}

// Scheme, host and port.
std::string_view origin_of(std::string_view url) {
  const std::size_t host = url.find("//");
  return host == std::string_view::npos ? url : url.substr(0, url.find('/', host + 2));
}

// Other folders of the same host may belong to somebody else. Paths that a server or proxy could resolve or decode into
// such a folder are refused.
bool is_url_below(std::string_view url, std::string_view root) {
  while (root.ends_with('/')) root.remove_suffix(1);
  if (root.empty() || !url.starts_with(root)) return false;
  const std::string_view rest = url.substr(root.size());
  return rest.empty() ||
         (rest.starts_with('/') && rest.find("..") == rest.npos && rest.find_first_of("%?#\\") == rest.npos);
}

Result<void> check_url(const std::string& url) {
  const std::string_view origin = origin_of(url);
  if (!url.starts_with("http://") && !url.starts_with("https://")) {
    return fail(ErrorCode::kUsage, "cache.remote: found '" + url + "', expected a URL of http, https or s3",
                "write it as https://cache.example/path or s3://bucket/path");
  }
  if (origin.find('@') != std::string_view::npos) {
    return fail(ErrorCode::kUsage, "cache.remote: found a URL with a password, which messages would print",
                "put user:password into a file, and name it as basic_file in the user's configuration");
  }
  return {};
}

// The part of a URL from '?' on, which may be a secret and belongs behind the path of each request. It is taken off.
std::string take_query(std::string& url) {
  const std::size_t at = std::min(url.find_first_of("?#"), url.size());
  std::string query = url.substr(at);
  url.resize(at);
  return query;
}

// Replaces the URL of a bucket by that on its server.
Result<void> locate(CacheSettings::Remote& remote, BucketPlace place) {
  if (!remote.url.starts_with(kBucketScheme)) return check_url(remote.url);
  ASSETC_TRY(remote.url, bucket_url(remote.url, place));
  remote.is_bucket = true;
  remote.region = std::move(place.region);
  remote.bucket_bytes = place.bucket_bytes;
  return check_url(remote.url);
}

// The keys of a bucket, or the file that has them.
Result<void> find_keys(Caching& all, const Environment& environment) {
  const auto text_of = [&](const char* name) { return environment(name).value_or(""); };
  all.aws = {.region = {},
             .access_key = text_of("AWS_ACCESS_KEY_ID"),
             .secret_key = text_of("AWS_SECRET_ACCESS_KEY"),
             .session_token = text_of("AWS_SESSION_TOKEN")};
  if (all.aws.access_key.empty() != all.aws.secret_key.empty()) {
    return fail(ErrorCode::kUsage, "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY: found one, expected both",
                "set both, or neither and name a file as aws_file in the user's cache.remote");
  }
  if (!all.aws.empty()) return {};
  const std::string shared = text_of("AWS_SHARED_CREDENTIALS_FILE"), home = text_of("HOME");
  all.aws_file = !all.remote.aws_file.empty() ? all.remote.aws_file : shared;
  all.may_lack_aws_file = all.aws_file.empty();
  if (all.aws_file.empty() && is_absolute_path(home)) all.aws_file = home + "/.aws/credentials";
  all.aws_profile = text_of("AWS_PROFILE");
  if (all.aws_profile.empty()) all.aws_profile = "default";
  return {};
}

// Without keys, requests are not signed, which suffices to read a public bucket.
Result<AwsKeys> keys_of(const Caching& caching, Disk& disk) {
  AwsKeys keys = caching.aws;
  if (keys.empty() && !caching.aws_file.empty()) {
    const auto bytes = disk.read_secret(caching.aws_file, caching.may_share_keys);
    const bool is_none = !bytes && bytes.error().code == ErrorCode::kNotFound && caching.may_lack_aws_file;
    if (!bytes && !is_none) return std::unexpected(Error(bytes.error()).in(caching.aws_file));
    if (bytes) {
      auto read = parse_aws_keys(as_text(*bytes), caching.aws_profile);
      if (!read) return std::unexpected(std::move(read).error().in(caching.aws_file));
      keys = std::move(*read);
    }
  }
  keys.region = caching.remote.region;
  if (!keys.empty() || !caching.remote.writes.value_or(false)) return keys;
  return fail(ErrorCode::kUsage, "has no keys to write with",
              "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and name the bucket in ASSETC_CACHE_REMOTE or the "
              "user's configuration, because keys go only to a server that one of these names");
}

// The value of an environment variable with two allowed words: true for the first one. If unset, the configured value.
Result<std::optional<bool>> either(const Environment& environment, const char* variable, std::string_view yes,
                                   std::string_view no, std::optional<bool> configured) {
  const std::string word = environment(variable).value_or("");
  if (word.empty()) return configured;
  if (word == yes || word == no) return word == yes;
  return fail(ErrorCode::kUsage, std::string(variable) + ": found '" + word + "', expected " + std::string(yes) +
                                     " or " + std::string(no));
}

// The given secret from the environment, or else that of a file.
Result<std::string> secret(const Caching& caching, Disk& disk, const std::string& given, const std::string& file) {
  if (!given.empty() || file.empty()) return given;
  return read_token(disk, file, caching.may_share_keys);
}

}  // namespace

Result<Caching> find_caching(const CacheSettings& project, Disk& disk, const Environment& environment,
                             const SayDiagnostic& say) {
  const auto text_of = [&](const char* name) { return environment(name).value_or(""); };
  CacheSettings user;
  if (const std::string folder = users_folder(environment, "XDG_CONFIG_HOME", "/.config"); !folder.empty()) {
    ASSETC_TRY(const Config config, load_user_config(disk, folder + "/config.yml"));
    for (const recipes::Diagnostic& diagnostic : config.diagnostics) say(diagnostic);
    user = cache_of(config);
  }
  Caching all;
  if (const auto size = project.size_bytes ? project.size_bytes : user.size_bytes) all.local.size_bytes = *size;
  all.local.path = environment("ASSETC_CACHE") ? text_of("ASSETC_CACHE")
                   : !project.path.empty()     ? project.path
                   : !user.path.empty()        ? user.path
                                               : users_folder(environment, "XDG_CACHE_HOME", "/.cache");
  if (all.local.path.empty()) {
    all.homeless = {ErrorCode::kUsage,
                    {},
                    {},
                    "there is no folder for the cache: HOME and XDG_CACHE_HOME name none",
                    "set HOME, or ASSETC_CACHE to a folder or off"};
  }
  if (all.local.path == kOff) all.local.path.clear();
  all.root = all.local.path;

  const std::string url = text_of("ASSETC_CACHE_REMOTE");
  const auto first_of = [&](const char* a, const char* b) { return text_of(text_of(a).empty() ? b : a); };
  const BucketPlace here{first_of("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"),
                         first_of("AWS_REGION", "AWS_DEFAULT_REGION")};
  const BucketPlace users{user.remote.endpoint, user.remote.region};
  user.remote.query = take_query(user.remote.url);
  all.remote = user.remote;
  BucketPlace place = users.or_else(here);
  if (!url.empty()) {
    all.remote.url = url;
    place = here.or_else(users);
  } else if (!project.remote.url.empty()) {
    all.remote.url = project.remote.url;
    // AWS_REGION often is the region of the machine, and a configuration knows that of the bucket.
    place = BucketPlace{project.remote.endpoint, project.remote.region}.or_else(here).or_else(users);
  }
  if (all.remote.url == kOff) all.remote.url.clear();
  if (all.remote.url.empty()) return all;
  ASSETC_TRY(const auto may_share, either(environment, "ASSETC_CACHE_SHARED_KEY", "allow", "refuse", false));
  all.may_share_keys = *may_share;
  const std::string query = take_query(all.remote.url);
  if (!query.empty()) all.remote.query = query;
  if (all.remote.authorities.empty()) all.remote.authorities = text_of("SSL_CERT_FILE");
  ASSETC_CHECK(locate(all.remote, std::move(place)));
  if (all.remote.is_bucket && !query.empty()) {
    return fail(ErrorCode::kUsage, "cache.remote: found a bucket with '?' or '#', expected s3://bucket/prefix",
                "write a signed URL with https://");
  }
  while (all.remote.url.ends_with('/')) all.remote.url.pop_back();
  if (!locate(user.remote, users.or_else(here))) user.remote.url.clear();
  const CacheSettings::Remote& theirs = project.remote;
  ASSETC_TRY(all.remote.writes, either(environment, "ASSETC_CACHE_REMOTE_MODE", "read-write", "read",
                                       theirs.writes ? theirs.writes : user.remote.writes));
  ASSETC_TRY(all.remote.races, either(environment, "ASSETC_CACHE_REMOTE_RACE", "on", "off",
                                      theirs.races ? theirs.races : user.remote.races));
  const bool users_own =
      !url.empty() || ((query.empty() || project.remote.url.empty()) && is_url_below(all.remote.url, user.remote.url));
  // On the user's own server, the user decides which signers to trust.
  all.trust = project.trust.empty() || (users_own && !user.trust.empty()) ? user.trust : project.trust;
  if (const std::string file = text_of("ASSETC_CACHE_TRUST"); !file.empty()) all.trust = {file};
  all.sign = text_of("ASSETC_CACHE_SIGN").empty() ? user.sign : text_of("ASSETC_CACHE_SIGN");
  if (users_own) {
    all.bearer = text_of("ASSETC_CACHE_BEARER");
    all.basic = text_of("ASSETC_CACHE_BASIC");
    if (all.remote.is_bucket) ASSETC_CHECK(find_keys(all, environment));
    return all;
  }
  // A server that only the project names gets no credentials. Its products go to a separate local store that only
  // builds with the same server and trusted keys use.
  CacheSettings::Remote bare;
  bare.url = all.remote.url;
  bare.is_bucket = all.remote.is_bucket;
  bare.region = all.remote.region;
  bare.bucket_bytes = all.remote.bucket_bytes;
  bare.query = query;
  bare.authorities = text_of("SSL_CERT_FILE");
  bare.writes = all.remote.writes;
  bare.races = all.remote.races;
  all.remote = std::move(bare);
  if (!all.local.path.empty()) {
    ContentHasher hasher;
    hasher.add(std::string_view(all.remote.url));
    for (const std::string& file : all.trust) {
      const auto key = disk.read(file);
      key ? hasher.add(*key) : hasher.add(std::string_view(file));
    }
    all.local.path += "/" + std::string(kStoreOfServer) + hasher.finish().hex().substr(0, 16);
  }
  return all;
}

Result<RemoteSettings> remote_settings(const Caching& caching, Disk& disk, bool records) {
  RemoteSettings settings;
  const CacheSettings::Remote& asked = caching.remote;
  settings.writes = asked.writes.value_or(false);
  settings.races = asked.races.value_or(true);
  // libcurl reads it itself.
  if (!asked.certificate_key.empty()) ASSETC_CHECK(disk.read_secret(asked.certificate_key, caching.may_share_keys));
  settings.endpoint = {.url = asked.url,
                       .query = asked.query,
                       .certificate = asked.certificate,
                       .certificate_key = asked.certificate_key,
                       .authorities = asked.authorities,
                       .is_bucket = asked.is_bucket,
                       .bucket_bytes = asked.bucket_bytes,
                       .records = records};
  if (asked.is_bucket) {
    auto keys = keys_of(caching, disk);
    if (!keys) return std::unexpected(std::move(keys).error().in(asked.url));
    settings.endpoint.aws = std::move(*keys);
  }
  ASSETC_TRY(settings.endpoint.bearer, secret(caching, disk, caching.bearer, asked.bearer_file));
  ASSETC_TRY(settings.endpoint.basic, secret(caching, disk, caching.basic, asked.basic_file));
  for (const std::string& file : caching.trust) {
    ASSETC_TRY(settings.trust.emplace_back(), read_public_key(disk, file));
  }
  if (settings.writes && !caching.sign.empty()) {
    ASSETC_TRY(settings.signing, read_signing_key(disk, caching.sign, caching.may_share_keys));
  }
  return settings;
}

Stores::Stores(const CacheSettings* project, Disk& disk, const Environment& environment, SayDiagnostic say,
               bool records)
    : disk_(disk), say_(std::move(say)), records_(records) {
  if (project == nullptr) return;
  auto all = find_caching(*project, disk, environment, say_);
  if (!all) {
    say_unused(std::move(all).error(), kSharesNothing, kOtherFolder);
    return;
  }
  caching_ = std::move(*all);
  if (caching_.homeless) say_unused(*caching_.homeless, kSharesNothing, {});
  if (caching_.local.path.empty()) return;
  auto store = LocalStore::open(disk, caching_.local);
  if (store) {
    local_ = std::move(*store);
  } else {
    say_unused(std::move(store).error(), kSharesNothing, kOtherFolder);
  }
}

void Stores::say_unused(Error error, const std::string& consequence, const std::string& hint) {
  error.what += "; " + consequence;
  if (error.hint.empty()) error.hint = hint;
  say_({WarningKind::kUnusedCache, std::move(error)});
}

Result<void> Stores::open_remote() {
  ASSETC_TRY(RemoteSettings settings, remote_settings(caching_, disk_, records_));
  if (settings.writes && !settings.trust.empty() && !settings.signing)
    say_({WarningKind::kUnsignedUploads,
          {ErrorCode::kUsage,
           caching_.remote.url,
           {},
           "is written to without a signing key: machines with cache.trust will not take what this build uploads",
           "name a key with ASSETC_CACHE_SIGN or cache.sign, or set cache.remote.mode to read"}});
  ASSETC_TRY(auto transfers, Transfers::open(settings.endpoint));
  remote_ = std::make_unique<RemoteStore>(std::move(settings), std::move(transfers), *local_, steady_clock());
  shared_.emplace(*local_, *remote_);
  return {};
}

Store* Stores::shared() {
  if (opened_ || caching_.remote.url.empty()) return shared_ ? &*shared_ : nullptr;
  opened_ = true;
  const std::string consequence = "this build does not use the shared cache";
  if (local_ == nullptr) {
    say_unused({ErrorCode::kUsage, caching_.remote.url, {}, "needs the cache of this machine, which is off", {}},
               consequence, "set cache.path or ASSETC_CACHE to a folder");
    return nullptr;
  }
  if (auto opened = open_remote(); !opened)
    say_unused(std::move(opened).error(), consequence, "set cache.remote or ASSETC_CACHE_REMOTE to off");
  return shared_ ? &*shared_ : nullptr;
}

std::optional<Error> Stores::unshared() const {
  if (!local_) {
    return Error{
        ErrorCode::kUsage,
        {},
        {},
        "--shard: there is no cache for the compiled outputs",
        caching_.remote.url.empty()
            ? "set cache.path or ASSETC_CACHE to a cache that all shards and the final build share"
            : "set cache.path or ASSETC_CACHE to a folder of this machine: the shared cache is filled from it"};
  }
  if (caching_.remote.url.empty() || caching_.remote.writes.value_or(false)) return std::nullopt;
  return Error{ErrorCode::kUsage,
               caching_.remote.url,
               {},
               "--shard: this shared cache is only read, so other machines would not get the compiled outputs",
               "set ASSETC_CACHE_REMOTE_MODE or cache.remote.mode to read-write"};
}

bool Stores::finish(const std::function<void(std::size_t)>& waiting) {
  bool kept = !opened_ || remote_;
  if (remote_) {
    summary_ = remote_->finish(waiting);
    // A build of all sources compiles what is too large for the server.
    kept = summary_->not_uploaded == summary_->too_large;
    if (summary_->trouble) say_({WarningKind::kSharedCache, *summary_->trouble});
    remote_.reset();
  }
  if (!local_) return kept;
  auto finished = local_->finish();
  if (finished) return kept;
  say_unused(std::move(finished).error(), kSharesNothing, kOtherFolder);
  return false;
}

}  // namespace assetc::engine
