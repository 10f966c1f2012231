"""Names of tools, languages and services that anybody may name: what makes a word in a text a thing."""

from __future__ import annotations

# Of one class each: one of them could stand where another does, and a question for one is none for another. As they
# are folded: lower case.
_CLASSES = (
    """
    postgres postgresql postgis pgvector pgbouncer mysql mariadb sqlite oracle mssql sqlserver sql-server
    mongodb redis valkey memcached cassandra couchdb couchbase dynamodb cockroachdb tidb duckdb clickhouse druid
    hbase hive bigquery redshift snowflake elasticsearch opensearch solr lucene neo4j dgraph influxdb
    timescaledb leveldb rocksdb etcd milvus qdrant weaviate pinecone chromadb faiss sqlite-vec greenplum
    starrocks doris presto trino kafka rabbitmq rocketmq pulsar nats kinesis bullmq celery zookeeper minio ceph
    s3
    """,
    """
    prometheus grafana kibana jaeger loki datadog zabbix sentry splunk graphite thanos telegraf fluentd filebeat
    logstash opentelemetry alertmanager skywalking arthas sentinel metabase newrelic
    """,
    """
    python golang java javascript typescript kotlin scala php julia lua elixir erlang haskell solidity dart rust
    ruby swift groovy zig
    """,
    "npm yarn pnpm bun pip pipenv conan nuget maven gradle bazel cmake poetry",
    "vue vuejs vue.js react angular svelte jquery nuxt nuxt.js nextjs next.js sveltekit astro ember",
    """
    django flask fastapi tornado laravel rails symfony springboot spring-boot nestjs nest.js express express.js
    hono gin dubbo ruoyi asp.net aspnet
    """,
    "jest vitest mocha cypress playwright selenium pytest junit testcontainers",
    "jenkins circleci gitlab-ci github-actions travis argocd drone bitbucket gitea gerrit",
    "docker podman kubernetes k8s k3s nomad microk8s minikube rancher openshift",
    "nginx apache caddy haproxy traefik envoy kong openresty istio linkerd tomcat jetty gunicorn uvicorn",
    "aws azure gcp aliyun google-cloud cloudflare vercel netlify heroku firebase supabase",
    "terraform ansible pulumi consul vault nacos keycloak auth0",
    "vim neovim nvim emacs vscode vs-code intellij pycharm phpstorm webstorm xcode android-studio cursor zed",
    "openai anthropic deepseek gemini qwen ollama openrouter dashscope chatgpt claude kimi vllm litellm",
    "webpack vite rollup esbuild parcel turborepo babel",
    "eslint ruff rubocop mypy prettier pylint flake8",
    "sqlalchemy prisma typeorm mybatis mybatis-plus hibernate drizzle mongoose",
    "ubuntu debian centos alpine fedora nixos macos windows linux ios android",
    "jira confluence trello notion linear feishu dingtalk wechat slack discord",
    "pytorch tensorflow xgboost scikit-learn huggingface",
)
_OTHERS = """
    airflow alembic anaconda antd apache asyncio axios azure-devops bootstrap boto3 cdk chromium codecov cpython
    cuda dask deno dify docusaurus dotnet ebpf electron electron.js fastmcp ffmpeg figma firefox flutter flyway
    gatsby gcc github gitlab graphql graphviz grpc hadoop harbor hashicorp htmx httpx hudi iceberg ingress ipfs
    jsonnet jupyter jwt kaniko knative kubectl kustomize langchain langfuse langgraph libuv llvm lodash
    matplotlib mercurial mermaid mkdocs mlflow mobx nodejs node.js numpy oauth openapi openssl pandas pinia
    postman powershell protobuf pydantic rclone redux rstudio rsync rxjs sass scipy seata sendgrid shopify
    sonarqube spacy spark flink sse stripe styled-components svn swagger swiftui systemd tailwind tailwindcss
    tauri three.js tmux tokio twilio unicorn valgrind vuex webassembly webrtc websocket wireshark wordpress wsl
    zsh zustand socket.io canal claude-code visual-studio react-native ruby-on-rails power-bi cloud-run
    app-engine apple-silicon ktor scrapy sidekiq salesforce
"""
# Names only where they are written with a capital, and not at the head of a sentence.
CAPITAL = frozenset(
    """
    angular ant atom bash chrome claude cursor dart drone echo edge ember excel express falcon fiber flask gin
    git go helm hugo hugging ionic less linear make meteor nest next notion outlook parcel phoenix phaser
    photoshop poetry prettier pyramid rails react remix ruby rust safari sentinel sinatra slack spring sublime
    swift teams tempo travis vault vector warp windows word zed zig zoom caddy
    """.split()  # noqa: SIM905  a list to be read, not typed in quotes
)
CLASS: dict[str, int] = {name: n for n, names in enumerate(_CLASSES) for name in names.split()}
NAMES = (frozenset(CLASS) | frozenset(_OTHERS.split())) - CAPITAL
# Of which a number beside the name is a version, though it has no dot.
NUMBERED = frozenset(
    """
    python node java jdk openjdk php ruby go golang rust vue react angular django rails postgres postgresql
    mysql redis ubuntu debian ios android macos windows swift kotlin scala gcc clang cuda webpack vite eslint
    typescript pydantic sqlalchemy spring springboot elasticsearch kafka kubernetes mongodb mariadb gradle maven
    dotnet nextjs nodejs tailwind pytorch tensorflow numpy pandas flutter xcode chrome firefox sqlite nginx
    terraform npm pnpm yarn
    """.split()  # noqa: SIM905
)


def same_class(one: str, other: str) -> bool:
    """Whether two things, folded, are tools of one class, of which one could stand for the other."""
    return one in CLASS and CLASS[one] == CLASS.get(other)
